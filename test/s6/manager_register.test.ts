import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  FileError,
  GatewayAlreadyRegisteredError,
  InvalidProfileNameError,
  PermissionError,
  ProgramNotFoundError,
  S6CommandError,
  UsageError,
} from "../../src/errors.ts";
import { processIdentity } from "../../src/host/facts.ts";
import type { RegisterOptions, RenderedFile } from "../../src/manager.ts";
import { formatOwner, retiredName, stagingName } from "../../src/s6/names.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);
const ALIVE = formatOwner({ ...processIdentity(), serial: "x" });
const DEAD = formatOwner({ ...processIdentity(), startTime: 1, serial: "x" });

/** The files of a slot, without what s6-supervise keeps there. */
function contentOf(profile: string): RenderedFile[] {
  return readdirSync(slotOf(profile), { recursive: true, encoding: "utf8" })
    .filter((name) => !/(?:^|\/)supervise\//.test(name) && lstatSync(join(slotOf(profile), name)).isFile())
    .sort()
    .map((name) => {
      const path = join(slotOf(profile), name);
      return {
        path: `gateway-${profile}/${name}`,
        mode: lstatSync(path).mode & 0o7777,
        text: readFileSync(path, "utf8"),
      };
    });
}

describe("registerProfileGateway", () => {
  it.each<[string, RegisterOptions | undefined]>([
    ["as it is", undefined],
    ["with variables of its own", { extraEnv: { FOO: "bar baz", "A": "it's" } }],
    ["with no variables", { extraEnv: {} }],
    ["to start later", { startNow: false }],
  ])("makes a slot with what render gives, to the mode, and nothing else: %s", async (_, options) => {
    expect(await stage.manager.registerProfileGateway("coder", options)).toEqual({ warnings: [] });
    expect(contentOf("coder")).toEqual(stage.manager.render("coder", options));
    expect(stage.entries()).toEqual(["gateway-coder"]);
  });

  it("asks s6-svscan to look, and nothing else of s6", async () => {
    await stage.manager.registerProfileGateway("coder");
    expect(stage.calls()).toEqual(["s6-svscanctl -a SCANDIR"]);
  });

  it("records that it is to run, in its own profile's folder and only there", async () => {
    stage.addProfile("coder");
    stage.addProfile("other");
    await stage.manager.registerProfileGateway("coder");
    expect(stage.readVolume("profiles/coder/.gatewarden.json")).toMatchObject({
      desired: "running",
      by: "register",
    });
    expect(stage.readVolume("profiles/other/.gatewarden.json")).toBeUndefined();
    expect(stage.readVolume(".gatewarden.json")).toBeUndefined();
  });

  it("refuses a profile that has a slot, before anything is run, and leaves the slot as it is", async () => {
    await stage.manager.registerProfileGateway("coder");
    const before = contentOf("coder");
    const calls = stage.calls();
    const again = stage.manager.registerProfileGateway("coder", { extraEnv: { NEW: "1" } });
    await expect(again).rejects.toBeInstanceOf(GatewayAlreadyRegisteredError);
    await expect(again).rejects.toMatchObject({
      message: `Cannot register "coder": it is registered already, in ${slotOf("coder")}.`,
      hint: "To register it anew, run: gatewarden unregister coder",
      profile: "coder",
      exitCode: 1,
    });
    expect([contentOf("coder"), stage.calls()]).toEqual([before, calls]);
  });

  it.each<[string, (path: string) => void]>([
    ["a file", (path) => writeFileSync(path, "")],
    ["a link to a folder", (path) => symlinkSync("/", path)],
  ])("refuses when %s is in the way, which unregister would not take away", async (_, put) => {
    put(slotOf("coder"));
    const failing = stage.manager.registerProfileGateway("coder");
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot register "coder": ${slotOf("coder")} is there and is no folder.`,
      hint: "If nothing needs it, remove it, then try again.",
    });
    expect(stage.calls()).toEqual([]);
  });

  it("lets exactly one of several callers at once win, and leaves nothing of the others", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => stage.manager.registerProfileGateway("coder")),
    );
    const losers = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
    expect(losers).toHaveLength(4);
    for (const loser of losers) expect(loser).toBeInstanceOf(GatewayAlreadyRegisteredError);
    expect(stage.entries()).toEqual(["gateway-coder"]);
    expect(contentOf("coder")).toEqual(stage.manager.render("coder"));
  });

  it("undoes everything when the scan cannot be asked for, and says how to get one", async () => {
    stage.addProfile("coder");
    stage.answer("s6-svscanctl", 100);
    const failing = stage.manager.registerProfileGateway("coder");
    await expect(failing).rejects.toBeInstanceOf(S6CommandError);
    await expect(failing).rejects.toMatchObject({
      service: "gateway-coder",
      action: "register",
      commandExitCode: 100,
      hint: `Is an s6-svscan running on ${stage.scandir}? Start one with: s6-svscan ${stage.scandir}`,
    });
    expect(stage.entries()).toEqual([]);
    expect(stage.readVolume("profiles/coder/.gatewarden.json")).toBeUndefined();
  });

  it.each(["", "Coder", "coder\n", "../coder", "-x", "a b", "x".repeat(244)])(
    "refuses the name %j before it looks at anything",
    async (profile) => {
      rmSync(stage.scandir, { recursive: true });
      await expect(stage.manager.registerProfileGateway(profile)).rejects.toBeInstanceOf(
        InvalidProfileNameError,
      );
    },
  );

  it("takes the longest name there may be", async () => {
    const profile = "x".repeat(243);
    await stage.manager.registerProfileGateway(profile);
    expect(await stage.manager.listProfileGateways()).toEqual([profile]);
  });

  it.each([{ "1X": "" }, { "A B": "" }, { A: "\0" }])(
    "refuses the variables %j, and makes nothing",
    async (extraEnv) => {
      await expect(stage.manager.registerProfileGateway("coder", { extraEnv })).rejects.toBeInstanceOf(
        UsageError,
      );
      expect([stage.entries(), stage.calls()]).toEqual([[], []]);
    },
  );

  it("fails with a typed error where s6 is not installed, and makes nothing", async () => {
    vi.stubEnv("PATH", stage.volume);
    const failing = stage.manager.registerProfileGateway("coder");
    await expect(failing).rejects.toBeInstanceOf(ProgramNotFoundError);
    await expect(failing).rejects.toMatchObject({
      message: "Cannot find s6-svc: it is neither in /command nor on PATH.",
      hint: "It is part of s6. On Debian, install it with: apt-get install s6",
    });
    expect(stage.entries()).toEqual([]);
  });

  it("says as a warning what could not be written to the volume, and succeeds", async () => {
    mkdirSync(join(stage.addProfile("coder"), ".gatewarden.json"));
    const { warnings } = await stage.manager.registerProfileGateway("coder");
    expect(warnings).toMatchObject([expect.stringMatching(/^Cannot write \S+\/coder\/\.gatewarden\.json /)]);
    expect(stage.entries()).toEqual(["gateway-coder"]);
  });
});

describe("a registration that was killed", () => {
  /** What is left when its process was killed right after it had published the slot. */
  async function killedAfterPublishing(owner: string, options?: RegisterOptions): Promise<void> {
    await stage.manager.registerProfileGateway("coder", options);
    writeFileSync(join(slotOf("coder"), "data/registering"), `${owner}\n`);
  }

  it("is finished by the next one of the same kind", async () => {
    await killedAfterPublishing(DEAD);
    await stage.manager.registerProfileGateway("coder");
    expect(stage.calls()).toEqual(["s6-svscanctl -a SCANDIR", "s6-svscanctl -a SCANDIR"]);
    expect(contentOf("coder")).toEqual(stage.manager.render("coder"));
  });

  it.each<[string, string, RegisterOptions, RegisterOptions]>([
    ["its process lives", ALIVE, {}, {}],
    ["its environment is another", DEAD, { extraEnv: { A: "1" } }, { extraEnv: { A: "2" } }],
    ["it was to start later, and now is to start", DEAD, { startNow: false }, {}],
    ["it was to start, and now is to start later", DEAD, {}, { startNow: false }],
  ])("is not finished when %s", async (_, owner, first, second) => {
    await killedAfterPublishing(owner, first);
    await expect(stage.manager.registerProfileGateway("coder", second)).rejects.toBeInstanceOf(
      GatewayAlreadyRegisteredError,
    );
  });

  it("is cleared away by any other, whatever half-built folders it left", async () => {
    for (const name of [stagingName("gateway-a", DEAD), retiredName("gateway-b", DEAD)]) {
      mkdirSync(join(stage.scandir, name, "log"), { recursive: true });
    }
    expect(await stage.manager.registerProfileGateway("coder")).toEqual({ warnings: [] });
    expect(stage.entries()).toEqual(["gateway-coder"]);
  });

  it("keeps its folders while its process lives, and so does what is not ours", async () => {
    const names = [
      stagingName("gateway-a", ALIVE),
      ".s6-svscan",
      ".gatewarden-x.new.y",
      ".other.new.1-2-3-0",
    ];
    for (const name of names) mkdirSync(join(stage.scandir, name));
    await stage.manager.registerProfileGateway("coder");
    expect(stage.entries()).toEqual([...names, "gateway-coder"].sort());
  });

  it("keeps its folders when they are another user's: only that user can clear them away", async ({ skip }) => {
    needsRoot(skip, "to give a folder to another user");
    const name = stagingName("gateway-a", DEAD);
    mkdirSync(join(stage.scandir, name));
    chownSync(join(stage.scandir, name), NOBODY, NOBODY);
    expect((await stage.manager.plan("register", "coder")).leftovers).toEqual([]);
  });
});

describe("unregisterProfileGateway", () => {
  it("takes a profile without a slot for done, and runs nothing", async () => {
    expect(await stage.manager.unregisterProfileGateway("coder")).toEqual({ warnings: [] });
    expect([stage.entries(), stage.calls()]).toEqual([[], []]);
  });

  it("stops the gateway, takes the slot away, ends its supervisors, and leaves nothing", async () => {
    await stage.manager.registerProfileGateway("coder");
    await stage.manager.registerProfileGateway("other");
    const before = stage.calls().length;
    expect(await stage.manager.unregisterProfileGateway("coder")).toEqual({ warnings: [] });
    expect(stage.entries()).toEqual(["gateway-other"]);
    expect(stage.calls().slice(before).map((line) => line.replace(/\.old\.\S*?(?=\/|$)/, ".old"))).toEqual([
      "s6-svc -wD -T 80000 -d SCANDIR/gateway-coder",
      "s6-svscanctl -a SCANDIR",
      "s6-svc -dx SCANDIR/.gatewarden-gateway-coder.old",
      "s6-svc -x SCANDIR/.gatewarden-gateway-coder.old/log",
    ]);
  });

  it("leaves alone what is in the way but no slot of ours", async () => {
    writeFileSync(slotOf("coder"), "kept");
    await stage.manager.unregisterProfileGateway("coder");
    expect(readFileSync(slotOf("coder"), "utf8")).toBe("kept");
  });

  it("keeps the slot in its place when the gateway cannot be stopped", async () => {
    await stage.manager.registerProfileGateway("coder");
    stage.answer("s6-svc", 99);
    await expect(stage.manager.unregisterProfileGateway("coder")).rejects.toMatchObject({
      code: "timeout",
      message: "Cannot unregister gateway-coder within 80 s: the gateway still runs.",
    });
    expect(stage.entries()).toEqual(["gateway-coder"]);
  });

  it("does not even stop the gateway when the slot is not the caller's to remove", async ({ skip }) => {
    needsRoot(skip, "to give a slot to another user");
    await stage.manager.registerProfileGateway("coder");
    const calls = stage.calls();
    chownSync(slotOf("coder"), NOBODY, NOBODY);
    const failing = stage.manager.unregisterProfileGateway("coder");
    await expect(failing).rejects.toBeInstanceOf(PermissionError);
    await expect(failing).rejects.toMatchObject({ exitCode: 4 });
    expect(stage.calls()).toEqual(calls);
    expect(stage.entries()).toEqual(["gateway-coder"]);
    chmodSync(slotOf("coder"), 0o755);
  });
});

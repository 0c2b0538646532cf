import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  FileError,
  GatewayAlreadyRegisteredError,
  InvalidProfileNameError,
  ProgramNotFoundError,
  S6CommandError,
  UsageError,
} from "../../src/errors.ts";
import type { RegisterOptions, RenderedFile } from "../../src/manager.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

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

import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { GatewayAlreadyRegisteredError, PermissionError } from "../../src/errors.ts";
import { processIdentity } from "../../src/host/facts.ts";
import type { RegisterOptions } from "../../src/manager.ts";
import { formatOwner, retiredName, stagingName } from "../../src/s6/names.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

/** Owners of temporary folders: this process, and one that has ended. */
const ALIVE = formatOwner({ ...processIdentity(), serial: "x" });
const DEAD = formatOwner({ ...processIdentity(), startTime: 1, serial: "x" });

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
      "s6-svc -wD -T 1000 -x SCANDIR/.gatewarden-gateway-coder.old/log",
      "s6-svc -dx SCANDIR/.gatewarden-gateway-coder.old/log",
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
    expect(existsSync(join(slotOf("coder"), "data/registering"))).toBe(false);
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

/** As root, on a scandir or a slot that another user could change. */
import { chownSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { PermissionError } from "../../src/errors.ts";
import { S6ServiceManager } from "../../src/s6/manager.ts";
import { ownerToBecome } from "../../src/s6/choose_scandir.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
const slot = (name: string = ""): string => join(stage.scandir, "gateway-coder", name);
const daring = (): S6ServiceManager =>
  new S6ServiceManager({
    scandir: stage.scandir,
    definition: stage.definition,
    allowUnsafeScandir: true,
  });

beforeEach(({ skip }) => {
  needsRoot(skip, "to give a slot to another user");
  stage = setStage();
  stage.addSlot("coder");
});

const VERBS: readonly (readonly [string, (manager: S6ServiceManager) => Promise<unknown>])[] = [
  ["status", (manager) => manager.status("coder")],
  ["start", (manager) => manager.start("coder")],
  ["stop", (manager) => manager.stop("coder")],
  ["restart", (manager) => manager.restart("coder")],
  ["register", (manager) => manager.registerProfileGateway("coder")],
  ["unregister", (manager) => manager.unregisterProfileGateway("coder")],
  ["a plan", (manager) => manager.plan("stop", "coder")],
];

describe("a slot of which another user owns a part", () => {
  it.each(VERBS)("is refused before any program of s6 runs: %s", async (_, act) => {
    for (const part of ["supervise", ""]) {
      chownSync(slot(part), NOBODY, NOBODY);
      const failing = act(stage.manager);
      await expect(failing).rejects.toBeInstanceOf(PermissionError);
      await expect(failing).rejects.toMatchObject({
        message: expect.stringContaining(`Cannot work on ${slot()} as root: `),
        hint: expect.stringContaining("remove "),
      });
      expect(stage.calls()).toEqual([]);
    }
  });

  it("keeps nobody from the slots beside it", async () => {
    stage.addSlot("scout");
    chownSync(slot("supervise"), NOBODY, NOBODY);
    expect(await stage.manager.status("scout")).toMatchObject({ state: "running" });
    expect(await stage.manager.listProfileGateways()).toEqual(["coder", "scout"]);
  });

  it("is used all the same by who says that it may be", async () => {
    chownSync(slot("supervise"), NOBODY, NOBODY);
    expect(await daring().status("coder")).toMatchObject({ state: "running" });
  });
});

describe("a scandir of another user", () => {
  beforeEach(() => chownSync(stage.scandir, NOBODY, NOBODY));

  it("is refused", async () => {
    await expect(stage.manager.status("coder")).rejects.toBeInstanceOf(PermissionError);
    await expect(stage.manager.listProfileGateways()).rejects.toBeInstanceOf(PermissionError);
  });

  it("is used all the same, and as root, by who says that it may be", async () => {
    expect(await daring().status("coder")).toMatchObject({ state: "running" });
    expect(await daring().listProfileGateways()).toEqual(["coder"]);
    expect(ownerToBecome({ scandir: stage.scandir, allowUnsafeScandir: true })).toBeUndefined();
    expect(ownerToBecome({ scandir: stage.scandir })).toBeDefined();
  });
});

import { accessSync, lstatSync, openSync, readdirSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PermissionError } from "../../src/errors.ts";
import type { S6ServiceManager } from "../../src/s6/manager.ts";
import { setStage, type Stage } from "./stub_stage.ts";

vi.mock("node:fs", { spy: true });

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

/** Has the system refuse what is asked of a path. */
async function refuse(isRefused: (path: string) => boolean): Promise<void> {
  const actual = await vi.importActual<typeof import("node:fs")>("node:fs");
  for (const call of [accessSync, lstatSync, openSync, readdirSync, statSync]) {
    const real = actual[call.name as "lstatSync"] as (path: string, ...more: unknown[]) => never;
    vi.mocked(call as typeof real).mockImplementation((path, ...more) => {
      if (!isRefused(path)) return real(path, ...more);
      throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: "EACCES" });
    });
  }
  onTestFinished(() => void vi.resetAllMocks());
}

const looks: readonly (readonly [string, (manager: S6ServiceManager) => Promise<unknown>])[] = [
  ["status", (manager) => manager.status("coder")],
  ["start", (manager) => manager.start("coder")],
  ["list", (manager) => manager.listProfileGateways()],
  ["register", (manager) => manager.registerProfileGateway("coder")],
  ["unregister", (manager) => manager.unregisterProfileGateway("coder")],
];

describe("a scandir that the caller may not look into", () => {
  it.each(looks)("is no scandir without the slot: %s fails for want of permission", async (_, look) => {
    await refuse((path) => path.startsWith(`${stage.scandir}/`));
    const failing = look(stage.manager);
    // The list itself can be read where the folder is closed; what is in it cannot be looked at.
    await expect(failing).rejects.toBeInstanceOf(PermissionError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot look into the scandir ${stage.scandir}: permission denied.`,
      hint: "Run it as the user the scandir belongs to.",
      exitCode: 4,
    });
  });

  it.each(looks)("below a folder that is closed does not count as missing: %s", async (_, look) => {
    await refuse((path) => path.startsWith(stage.scandir));
    await expect(look(stage.manager)).rejects.toBeInstanceOf(PermissionError);
  });
});

describe("a scandir that the caller may not list", () => {
  it("does not look empty", async () => {
    const { scandir } = stage;
    const actual = await vi.importActual<typeof import("node:fs")>("node:fs");
    vi.mocked(readdirSync as (path: string) => string[]).mockImplementation((path) => {
      if (path !== scandir) return actual.readdirSync(path);
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
    });
    onTestFinished(() => void vi.resetAllMocks());
    await expect(stage.manager.listProfileGateways()).rejects.toBeInstanceOf(PermissionError);
  });
});

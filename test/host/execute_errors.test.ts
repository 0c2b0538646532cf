import { chmodSync, fsyncSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FileError, PermissionError } from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import type { Step } from "../../src/manager.ts";
import { temporaryFolder } from "../temporary_folder.ts";

vi.mock("node:fs", { spy: true });

const carryOut = (step: Step): Promise<unknown> =>
  execute({ verb: "register", profile: "coder", service: "gateway-coder", steps: [step] });

/** Has the next call of a function of node:fs fail as the system would. */
function failNext(
  call: typeof renameSync | typeof mkdirSync | typeof chmodSync | typeof fsyncSync,
  code: string,
): void {
  vi.mocked(call as () => void).mockImplementationOnce(() => {
    throw Object.assign(new Error(`${code}: refused`), { code });
  });
  onTestFinished(() => void vi.resetAllMocks());
}

describe("a step that the system refuses", () => {
  it.each([
    ["ENOSPC", "The file system is full: make room, then try again."],
    ["EDQUOT", "The file system is full: make room, then try again."],
    ["EROFS", "The file system is mounted read-only: use a scandir on a writable one."],
    ["EIO", ""],
  ])("fails with a typed error, and says what can be done: %s", async (code, hint) => {
    failNext(renameSync, code);
    const failing = carryOut({ do: "rename", from: "/absent/a", to: "/absent/b" });
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot register gateway-coder: ${code}: refused.`,
      hint,
      exitCode: 1,
    });
  });

  it.each(["EACCES", "EPERM"])(
    "fails for want of permission, with the exit code for that: %s",
    async (code) => {
      failNext(mkdirSync, code);
      const failing = carryOut({ do: "mkdir", path: "/absent/a", mode: 0o755 });
      await expect(failing).rejects.toBeInstanceOf(PermissionError);
      await expect(failing).rejects.toMatchObject({
        message: `Cannot register gateway-coder: ${code}: refused.`,
        hint: "Run it as the user the scandir belongs to.",
        exitCode: 4,
      });
    },
  );

  it("leaves no part of a file behind when the disk is full", async () => {
    const folder = temporaryFolder();
    failNext(fsyncSync, "ENOSPC");
    const failing = carryOut({ do: "write", path: join(folder, "down"), mode: 0o644, text: "text" });
    await expect(failing).rejects.toThrow("ENOSPC");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("fails with a typed error also while it makes a FIFO", async () => {
    failNext(chmodSync, "EPERM");
    const failing = carryOut({ do: "fifo", path: join(temporaryFolder(), "control"), mode: 0o660 });
    await expect(failing).rejects.toBeInstanceOf(PermissionError);
  });
});

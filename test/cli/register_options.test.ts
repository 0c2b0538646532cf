import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PermissionError, UsageError } from "../../src/errors.ts";
import { parseAssignment, registerOptionsOf } from "../../src/cli/register_options.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatewarden-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string | Uint8Array): string {
  const path = join(folder, "environment");
  writeFileSync(path, text);
  chmodSync(path, 0o600);
  return path;
}

describe("parseAssignment", () => {
  it.each([
    ["A=b", ["A", "b"]],
    ["A=", ["A", ""]],
    ["A=b=c", ["A", "b=c"]],
    ["A= b\n", ["A", " b\n"]],
  ])("reads %j", (text, assignment) => {
    expect(parseAssignment(text)).toEqual(assignment);
  });

  it.each(["", "A", "=b"])("refuses %j", (text) => {
    expect(() => parseAssignment(text)).toThrow("--env is NAME=VALUE");
  });
});

describe("registerOptionsOf", () => {
  it("starts at once, with nothing added, when no flag is given", async () => {
    expect(await registerOptionsOf({})).toEqual({ startNow: true });
  });

  it("leaves it down with --down", async () => {
    expect(await registerOptionsOf({ down: true })).toEqual({ startNow: false });
  });

  it("reads a file of variables, which are secret", async () => {
    const envFrom = fileOf(`# comment\nA=1\n\nB='x y' # why\nexport C="l1\nl2"\nD=a=b\nE=\n`);
    expect(await registerOptionsOf({ envFrom })).toEqual({
      secretEnv: { A: "1", B: "x y", C: "l1\nl2", D: "a=b", E: "" },
      startNow: true,
    });
  });

  it("keeps what is in the file apart from the last that the flags say", async () => {
    const envFrom = fileOf("A=file\nB=file\n");
    expect(await registerOptionsOf({ envFrom, env: [["A", "1"], ["A", "2"]] })).toEqual({
      extraEnv: { A: "2" },
      secretEnv: { A: "file", B: "file" },
      startNow: true,
    });
  });

  it("names a file that is not there", async () => {
    await expect(registerOptionsOf({ envFrom: join(folder, "none") })).rejects.toThrow(
      `Cannot use ${join(folder, "none")}: there is no such file.`,
    );
  });

  it("refuses a file that others can read", async () => {
    const envFrom = fileOf("A=1\n");
    chmodSync(envFrom, 0o640);
    await expect(registerOptionsOf({ envFrom })).rejects.toThrow(PermissionError);
  });

  it.each<[string, string | Uint8Array, string]>([
    [
      "a value lost its quotes",
      "KEY=-----BEGIN\nc2VjcmV0==\n1secret=\n",
      "does not start with the name of a variable",
    ],
    ["it is not UTF-8", Uint8Array.of(0x41, 0x3d, 0xff, 0x0a), "it is not UTF-8"],
  ])("refuses a file where %s, and shows nothing of it", async (_, text, why) => {
    const failing = registerOptionsOf({ envFrom: fileOf(text) });
    await expect(failing).rejects.toThrow(why);
    await expect(failing).rejects.toThrow(UsageError);
    await expect(failing).rejects.not.toThrow(/secret|c2Vj/);
  });
});

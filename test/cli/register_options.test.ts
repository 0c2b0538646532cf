import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAssignment, registerOptionsOf } from "../../src/cli/register_options.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatewarden-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(folder, "environment");
  writeFileSync(path, text);
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
  it("starts at once, with nothing added, when no flag is given", () => {
    expect(registerOptionsOf({})).toEqual({ startNow: true });
  });

  it("leaves it down with --down", () => {
    expect(registerOptionsOf({ down: true })).toEqual({ startNow: false });
  });

  it("reads a file of variables", () => {
    const envFrom = fileOf(`# comment\nA=1\n\nB='x y' # why\nexport C="l1\nl2"\nD=a=b\nE=\n`);
    expect(registerOptionsOf({ envFrom }).extraEnv).toEqual({
      A: "1",
      B: "x y",
      C: "l1\nl2",
      D: "a=b",
      E: "",
    });
  });

  it("prefers --env to the file, and the last to the first", () => {
    const envFrom = fileOf("A=file\nB=file\n");
    expect(registerOptionsOf({ envFrom, env: [["A", "1"], ["A", "2"]] }).extraEnv).toEqual({
      A: "2",
      B: "file",
    });
  });

  it("names a file that cannot be read", () => {
    expect(() => registerOptionsOf({ envFrom: join(folder, "none") })).toThrow(
      `Cannot read the environment from ${join(folder, "none")}: ENOENT`,
    );
  });
});

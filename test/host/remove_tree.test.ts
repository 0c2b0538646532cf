import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FileError } from "../../src/errors.ts";
import { removeTree } from "../../src/host/files.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

vi.mock("node:fs", { spy: true });

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

describe("removeTree", () => {
  it("takes what is absent for removed", () => {
    removeTree(at("absent"));
    writeFileSync(at("file"), "");
    removeTree(at("file/below"));
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("removes a file", () => {
    writeFileSync(at("file"), "");
    removeTree(at("file"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("removes a folder with all that is in it, closed folders and FIFOs too", () => {
    mkdirSync(at("x/closed/deep"), { recursive: true });
    writeFileSync(at("x/closed/deep/file"), "");
    execFileSync("mkfifo", [at("x/fifo")]);
    chmodSync(at("x/closed"), 0o000);
    removeTree(at("x"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("removes a link and not what it leads to", () => {
    mkdirSync(at("target"));
    writeFileSync(at("target/kept"), "");
    symlinkSync("target", at("link"));
    removeTree(at("link"));
    expect(readdirSync(folder)).toEqual(["target"]);
    expect(readdirSync(at("target"))).toEqual(["kept"]);
  });

  it("goes through no link below a folder", () => {
    mkdirSync(at("target"), { mode: 0o750 });
    writeFileSync(at("target/kept"), "");
    mkdirSync(at("x/y"), { recursive: true });
    symlinkSync(at("target"), at("x/link"));
    symlinkSync(at("target"), at("x/y/link"));
    symlinkSync(at("target/kept"), at("x/y/file"));
    removeTree(at("x"));
    expect(readdirSync(folder)).toEqual(["target"]);
    expect(readdirSync(at("target"))).toEqual(["kept"]);
    expect(lstatSync(at("target")).mode & 0o7777).toBe(0o750);
  });

  it("enters no folder of another user as root, and says whose it is", ({ skip }) => {
    needsRoot(skip, "to give a folder to another user");
    mkdirSync(at("x/theirs"), { recursive: true });
    writeFileSync(at("x/theirs/kept"), "");
    chownSync(at("x/theirs"), NOBODY, NOBODY);
    expect(() => removeTree(at("x"))).toThrow(FileError);
    expect(() => removeTree(at("x"))).toThrow(
      `Cannot remove ${at("x/theirs")}: it belongs to another user and is not empty.`,
    );
    expect(readdirSync(at("x/theirs"))).toEqual(["kept"]);
    expect(lstatSync(at("x/theirs")).mode & 0o7777).toBe(0o755);
  });

  it("removes what another user left, when that is an empty folder or a file", ({ skip }) => {
    needsRoot(skip, "to give files to another user");
    mkdirSync(at("x/theirs"), { recursive: true });
    writeFileSync(at("x/file"), "");
    for (const name of ["x/theirs", "x/file"]) chownSync(at(name), NOBODY, NOBODY);
    removeTree(at("x"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, typeof lstatSync | typeof readdirSync | typeof rmdirSync | typeof unlinkSync]>([
    ["looked at", lstatSync],
    ["read", readdirSync],
    ["emptied", rmdirSync],
    ["removed", unlinkSync],
  ])("goes on when another process removes the same tree while it is being %s", async (_, call) => {
    mkdirSync(at("x/y"), { recursive: true });
    writeFileSync(at("x/y/file"), "");
    const actual = await vi.importActual<typeof import("node:fs")>("node:fs");
    vi.mocked(call as (path: string) => unknown).mockImplementationOnce((path) => {
      rmSync(at("x"), { recursive: true });
      return (actual[call.name as "unlinkSync"] as (path: string) => unknown)(path);
    });
    removeTree(at("x"));
    expect(readdirSync(folder)).toEqual([]);
  });

  it("throws what else is wrong", () => {
    writeFileSync(at("file"), "");
    vi.mocked(unlinkSync).mockImplementationOnce(() => {
      throw Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS" });
    });
    expect(() => removeTree(at("file"))).toThrow("EROFS");
  });
});

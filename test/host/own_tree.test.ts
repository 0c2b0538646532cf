import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PermissionError } from "../../src/errors.ts";
import { assertOwnTree } from "../../src/host/files.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let folder: string;
const at = (name: string): string => join(folder, name);
const check = (path: string): void => assertOwnTree(path, (uid) => uid === NOBODY ? "somebody" : `${uid}`);

/** What is thrown for a path. */
function refusal(path: string): PermissionError {
  try {
    check(path);
  } catch (error) {
    if (error instanceof PermissionError) return error;
    throw error;
  }
  throw new Error(`${path} was not refused`);
}

describe("assertOwnTree, called by root", () => {
  beforeEach(({ skip }) => {
    needsRoot(skip, "to give folders to another user");
    folder = temporaryFolder();
    mkdirSync(at("a/scandir"), { recursive: true });
  });

  it("takes a folder that only root can change, below a sticky one for everybody", () => {
    chmodSync(at("a"), 0o1777);
    check(at("a/scandir"));
    check(`${at("a/scandir")}/`);
  });

  it.each(["a/scandir", "a"])(
    "refuses when %s belongs to another user, and says who is to run it",
    (name) => {
      chownSync(at(name), NOBODY, NOBODY);
      const { message, hint, exitCode } = refusal(at("a/scandir"));
      expect(message).toBe(
        `Cannot use ${at("a/scandir")} as root: ${
          at(name)
        } belongs to somebody, who could turn that against root.`,
      );
      expect(hint).toBe("Run the same command as somebody: s6-setuidgid somebody gatewarden ...");
      expect(exitCode).toBe(4);
    },
  );

  it.each(["a/scandir", "a"])("refuses when %s belongs to another user, sticky or not", (name) => {
    chownSync(at(name), NOBODY, NOBODY);
    chmodSync(at(name), 0o1777);
    expect(refusal(at("a/scandir")).message).toContain(`${at(name)} belongs to somebody`);
  });

  it.each<[string, number]>([
    ["a/scandir", 0o775],
    ["a/scandir", 0o757],
    ["a", 0o775],
    ["a", 0o757],
  ])("refuses when others can write to %s, and says how to close it", (name, mode) => {
    chmodSync(at(name), mode);
    const { message, hint } = refusal(at("a/scandir"));
    expect(message).toBe(`Cannot use ${at("a/scandir")} as root: others than root can write to ${at(name)}.`);
    expect(hint).toBe(`Close it with: chmod go-w ${at(name)}`);
  });

  it("refuses a sticky folder for everybody, which nobody wants to be closed", () => {
    chmodSync(at("a/scandir"), 0o1777);
    const { message, hint } = refusal(at("a/scandir"));
    expect(message).toBe(
      `Cannot use ${at("a/scandir")} as root: others than root can write to ${at("a/scandir")}.`,
    );
    expect(hint).toBe("Name another folder, which only root can write to.");
  });

  it("refuses a way through a link, because whoever owns a folder on it could swap the link", () => {
    mkdirSync(at("theirs"));
    chownSync(at("theirs"), NOBODY, NOBODY);
    symlinkSync("../a", at("theirs/way"));
    const { message, hint } = refusal(at("theirs/way/scandir"));
    expect(message).toBe(
      `Cannot use ${at("theirs/way/scandir")} as root: it leads through a link, to ${at("a/scandir")}.`,
    );
    expect(hint).toBe(`Name that folder itself, if it is the right one: ${at("a/scandir")}`);
  });

  it("refuses a link to a folder", () => {
    symlinkSync("a/scandir", at("link"));
    expect(refusal(at("link")).message).toContain("it leads through a link");
  });
});

describe("assertOwnTree, called by another user", () => {
  it("lets everything pass: that user's rights are all there are", () => {
    vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
    onTestFinished(() => void vi.restoreAllMocks());
    folder = temporaryFolder();
    mkdirSync(at("open"));
    chmodSync(at("open"), 0o777);
    symlinkSync("open", at("link"));
    check(at("open"));
    check(at("link"));
  });
});

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { GatewardenError, PermissionError, UsageError } from "../../src/errors.ts";
import { readPrivateFile, readUnchangeableText } from "../../src/host/checked_file.ts";
import { userName } from "../../src/host/facts.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let file: string;

beforeEach(() => {
  file = join(temporaryFolder(), "a file");
  writeFileSync(file, "TOKEN=zürich\n", { mode: 0o600 });
  onTestFinished(() => void vi.restoreAllMocks());
});

const beNobody = (): void => void vi.spyOn(process, "getuid").mockReturnValue(NOBODY);

/** What is thrown when a file is read. */
function refusal(read: (path: string) => unknown, path: string = file): GatewardenError {
  try {
    read(path);
  } catch (error) {
    if (error instanceof GatewardenError) return error;
    throw error;
  }
  throw new Error(`${path} was not refused`);
}

describe("readPrivateFile", () => {
  it.each([0o600, 0o400, 0o700])("reads a file of the caller's own with mode %o", (mode) => {
    chmodSync(file, mode);
    expect(new TextDecoder().decode(readPrivateFile(file))).toBe("TOKEN=zürich\n");
  });

  it.each([0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644])(
    "refuses a file with mode %o, and says how to close it",
    (mode) => {
      chmodSync(file, mode);
      const error = refusal(readPrivateFile);
      expect(error).toBeInstanceOf(PermissionError);
      expect(error).toMatchObject({
        message: `Cannot use ${file}: others than its owner may read or write it.`,
        hint: `Close it with: chmod 600 '${file}'`,
        exitCode: 4,
      });
    },
  );

  it("refuses a file of another user, for root too, and says how to take it over", ({ skip }) => {
    needsRoot(skip, "to give a file to another user");
    chownSync(file, NOBODY, NOBODY);
    const { message, hint, exitCode } = refusal(readPrivateFile);
    expect(message).toBe(`Cannot use ${file} as root: it belongs to ${userName(NOBODY)}.`);
    expect(hint).toBe(`If what it says is right, take it over with: chown root '${file}'`);
    expect(exitCode).toBe(4);
  });

  it("takes a file of root's from whoever may read it, and no other user's", ({ skip }) => {
    needsRoot(skip, "to own a file as root");
    beNobody();
    expect(readPrivateFile(file)).toHaveLength(14);
    chownSync(file, 1234, 1234);
    expect(refusal(readPrivateFile)).toMatchObject({
      message: `Cannot use ${file} as ${userName(NOBODY)}: it belongs to 1234.`,
      hint: "Name a file of your own.",
    });
  });

  it("refuses a link, wherever it leads", () => {
    const link = `${file} link`;
    symlinkSync(file, link);
    const error = refusal(readPrivateFile, link);
    expect(error).toBeInstanceOf(PermissionError);
    expect(error).toMatchObject({
      message: `Cannot use ${link}: it is a link.`,
      hint: "Name the file itself, or hand it over as standard input, with -.",
    });
  });

  it("refuses what is no file, and does not wait at a FIFO", () => {
    const path = `${file} of another kind`;
    mkdirSync(path, { mode: 0o700 });
    expect(refusal(readPrivateFile, path)).toBeInstanceOf(UsageError);
    execFileSync("mkfifo", ["-m", "0600", `${path} still`]);
    expect(refusal(readPrivateFile, `${path} still`).message).toBe(
      `Cannot use ${path} still: it is no file.`,
    );
  });

  it("refuses one that is not there, as a mistake in the call", () => {
    expect(refusal(readPrivateFile, `${file}?`)).toMatchObject({
      message: `Cannot use ${file}?: there is no such file.`,
      exitCode: 2,
    });
  });

  it("reads 64 KiB, and not a byte more", () => {
    writeFileSync(file, "x".repeat(65_536));
    expect(readPrivateFile(file)).toHaveLength(65_536);
    writeFileSync(file, "x".repeat(65_537));
    expect(refusal(readPrivateFile).message).toBe(`Cannot use ${file}: it is larger than 64 KiB.`);
  });
});

describe("readUnchangeableText, called by root,", () => {
  beforeEach(({ skip }) => needsRoot(skip, "as whom it is careful"));

  it.each([0o600, 0o644, 0o444, 0o755])("reads a file of root's with mode %o", (mode) => {
    chmodSync(file, mode);
    expect(readUnchangeableText(file)).toBe("TOKEN=zürich\n");
  });

  it.each([0o620, 0o602, 0o666, 0o664])(
    "refuses a file that others can write (%o), and says how to close it",
    (mode) => {
      chmodSync(file, mode);
      const error = refusal(readUnchangeableText);
      expect(error).toBeInstanceOf(PermissionError);
      expect(error).toMatchObject({
        message: `Cannot use ${file} as root: others than root can write to it.`,
        hint: `Close it with: chmod go-w '${file}'`,
        exitCode: 4,
      });
    },
  );

  it("refuses a file of another user, through a link too, and says how to take it over", () => {
    chownSync(file, NOBODY, NOBODY);
    symlinkSync(file, `${file} link`);
    linkSync(file, `${file} hard link`);
    for (const path of [file, `${file} link`, `${file} hard link`]) {
      expect(refusal(readUnchangeableText, path)).toMatchObject({
        message: `Cannot use ${path} as root: it belongs to ${userName(NOBODY)}.`,
        hint: `If what it says is right, take it over with: chown root '${path}'`,
      });
    }
  });
});

describe("readUnchangeableText, called by another user,", () => {
  it("reads whatever that user may read: its own rights are all there are", () => {
    chmodSync(file, 0o666);
    beNobody();
    expect(readUnchangeableText(file)).toBe("TOKEN=zürich\n");
  });
});

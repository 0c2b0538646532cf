import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  hasReader,
  isFolder,
  lstatIfThere,
  makeFolder,
  READ_LIMIT,
  readSmallFile,
  readSmallText,
  setGroupAndMode,
  writeNewFile,
} from "../../src/host/files.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let folder: string;
const at = (name: string): string => join(folder, name);
const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

beforeEach(() => {
  folder = temporaryFolder();
});

function umask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

function makeFifo(name: string): string {
  execFileSync("mkfifo", [at(name)]);
  return at(name);
}

describe("makeFolder", () => {
  it.each([0o000, 0o022, 0o077, 0o777])("makes it with the exact mode under umask %o", (mask) => {
    umask(mask);
    makeFolder(at("plain"), 0o755);
    makeFolder(at("open"), 0o3777);
    expect([modeOf(at("plain")), modeOf(at("open"))]).toEqual([0o755, 0o3777]);
  });

  it("gives it the caller's group, in a folder that hands its own on too", ({ skip }) => {
    needsRoot(skip, "to make a folder of another group");
    chownSync(folder, 0, NOBODY);
    chmodSync(folder, 0o2755);
    makeFolder(at("x"), 0o755);
    expect(lstatSync(at("x")).gid).toBe(process.getgid?.());
  });

  it("gives it the group that is named, and keeps the bits that a change of group clears", ({ skip }) => {
    needsRoot(skip, "to give a folder another group");
    makeFolder(at("x"), 0o3730, NOBODY);
    expect(lstatSync(at("x"))).toMatchObject({ uid: 0, gid: NOBODY });
    expect(modeOf(at("x"))).toBe(0o3730);
  });

  it("refuses what is there, and leaves it as it is", () => {
    mkdirSync(at("x"), { mode: 0o700 });
    expect(() => makeFolder(at("x"), 0o755)).toThrow("EEXIST");
    expect(modeOf(at("x"))).toBe(0o700);
  });

  it("makes no folder above it", () => {
    expect(() => makeFolder(at("x/y"), 0o755)).toThrow("ENOENT");
  });
});

describe("setGroupAndMode", () => {
  it("gives a path its mode again", () => {
    mkdirSync(at("x"), { mode: 0o700 });
    setGroupAndMode(at("x"), 0o3730);
    expect(modeOf(at("x"))).toBe(0o3730);
  });
});

describe("writeNewFile", () => {
  it.each([0o000, 0o077, 0o777])("writes it with the exact mode under umask %o", (mask) => {
    umask(mask);
    writeNewFile(at("script"), "#!/bin/sh\n", 0o755);
    expect(modeOf(at("script"))).toBe(0o755);
  });

  it.each<[string, string]>([
    ["an empty text", ""],
    ["a line", "one line\n"],
    ["characters of several bytes", "ü🙂\n"],
    ["300 kB", "x".repeat(300_000)],
  ])("writes %s whole", (_, text) => {
    writeNewFile(at("file"), text, 0o644);
    expect(readFileSync(at("file"), "utf8")).toBe(text);
  });

  it("refuses a file that is there, and leaves it as it is", () => {
    writeFileSync(at("file"), "kept");
    expect(() => writeNewFile(at("file"), "new", 0o755)).toThrow("EEXIST");
    expect(readFileSync(at("file"), "utf8")).toBe("kept");
    expect(modeOf(at("file"))).not.toBe(0o755);
  });

  it("refuses a link to a file, and leaves that file as it is", () => {
    writeFileSync(at("target"), "kept");
    symlinkSync("target", at("link"));
    expect(() => writeNewFile(at("link"), "new", 0o644)).toThrow("EEXIST");
    expect(readFileSync(at("target"), "utf8")).toBe("kept");
  });

  it("refuses a link to nowhere, and makes nothing there", () => {
    symlinkSync("target", at("link"));
    expect(() => writeNewFile(at("link"), "new", 0o644)).toThrow("EEXIST");
    expect(readdirSync(folder)).toEqual(["link"]);
  });

  it("refuses a FIFO without waiting for its reader", () => {
    expect(() => writeNewFile(makeFifo("fifo"), "new", 0o644)).toThrow("EEXIST");
  });
});

describe("lstatIfThere", () => {
  it("sees a link itself", () => {
    symlinkSync("nowhere", at("link"));
    expect(lstatIfThere(at("link"))?.isSymbolicLink()).toBe(true);
  });

  it("sees nothing where nothing is, below a file too", () => {
    writeFileSync(at("file"), "");
    expect([lstatIfThere(at("absent")), lstatIfThere(at("file/below"))]).toEqual([undefined, undefined]);
  });

  it("throws what else is wrong", () => {
    expect(() => lstatIfThere(at("x".repeat(256)))).toThrow("ENAMETOOLONG");
  });
});

describe("isFolder", () => {
  it("says yes to a folder only", () => {
    mkdirSync(at("folder"));
    writeFileSync(at("file"), "");
    symlinkSync("folder", at("link"));
    const names = ["folder", "file", "link", "absent", "x".repeat(256)];
    expect(names.filter((name) => isFolder(at(name)))).toEqual(["folder"]);
  });
});

describe("readSmallFile", () => {
  it("reads the bytes of a file, up to 64 KiB", () => {
    for (const length of [0, 1, READ_LIMIT]) {
      writeFileSync(at("file"), new Uint8Array(length).fill(7));
      const bytes = readSmallFile(at("file"));
      expect([bytes?.length, bytes?.every((byte) => byte === 7)]).toEqual([length, true]);
    }
  });

  it("refuses a file of more than 64 KiB", () => {
    writeFileSync(at("file"), "");
    for (const length of [READ_LIMIT + 1, 2 ** 40]) {
      truncateSync(at("file"), length);
      expect(readSmallFile(at("file"))).toBeUndefined();
    }
  });

  it("refuses a link to a file, and a folder", () => {
    writeFileSync(at("file"), "");
    symlinkSync("file", at("link"));
    expect([readSmallFile(at("link")), readSmallFile(folder)]).toEqual([undefined, undefined]);
  });

  it("gives nothing where nothing is", () => {
    expect(readSmallFile(at("absent"))).toBeUndefined();
  });

  it("does not wait for somebody to write into a FIFO, nor reads from it", () => {
    const fifo = makeFifo("fifo");
    expect(readSmallFile(fifo)).toBeUndefined();
    const both = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(both));
    writeFileSync(both, "bait");
    expect(readSmallFile(fifo)).toBeUndefined();
  });

  it("does not read from a device without end", () => {
    expect(readSmallFile("/dev/zero")).toBeUndefined();
  });
});

describe("readSmallText", () => {
  it("reads UTF-8, and takes what is none for something else instead of failing", () => {
    writeFileSync(at("file"), "ü\n");
    expect(readSmallText(at("file"))).toBe("ü\n");
    writeFileSync(at("file"), Uint8Array.of(0xff));
    expect(readSmallText(at("file"))).toBe("\ufffd");
    expect(readSmallText(at("absent"))).toBeUndefined();
  });
});

describe("hasReader", () => {
  it("tells whether somebody reads from a FIFO, and stops saying so when nobody does", () => {
    const fifo = makeFifo("fifo");
    expect(hasReader(fifo)).toBe(false);
    const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    expect(hasReader(fifo)).toBe(true);
    closeSync(reader);
    expect(hasReader(fifo)).toBe(false);
  });

  it("says no where nothing is, and makes nothing there", () => {
    writeFileSync(at("file"), "");
    expect([hasReader(at("absent")), hasReader(at("file/below"))]).toEqual([false, false]);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("cannot tell of a folder, a file or a link to a FIFO that is read from", () => {
    const reader = openSync(makeFifo("fifo"), constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(reader));
    symlinkSync("fifo", at("link"));
    writeFileSync(at("file"), "kept");
    expect([folder, at("file"), at("link")].map(hasReader)).toEqual([undefined, undefined, undefined]);
    expect(readFileSync(at("file"), "utf8")).toBe("kept");
  });
});

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FileError } from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder, writeProgram } from "../temporary_folder.ts";

const NAME = "gateway_state.json";

let folder: string;
let volume: string;
let bin: string;
const at = (name: string): string => join(volume, name);

beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder, 0o755);
  volume = join(folder, "volume");
  bin = join(folder, "bin");
  mkdirSync(volume);
  mkdirSync(bin);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
});

function update(path: string = at(NAME)): Promise<unknown> {
  return execute({
    verb: "stop",
    profile: "coder",
    service: "gateway-coder",
    steps: [{ do: "update", path, fields: { desired_state: "stopped" }, as: "hermes" }],
  });
}

/** Writes a file as its other writer, whose the volume is. */
function write(text: string, path: string = at(NAME)): void {
  writeFileSync(path, text);
  const { uid, gid } = lstatSync(volume);
  if (process.geteuid?.() === 0) chownSync(path, uid, gid);
}

function behaviours(): void {
  it("sets the field and keeps all else in it, its mode too", async () => {
    write('{"pid": 12345678901234567890, "desired_state": "running", "gateway_state": "draining"}\n');
    chmodSync(at(NAME), 0o644);
    await update();
    expect(readFileSync(at(NAME), "utf8")).toBe(
      '{"pid": 12345678901234567890, "desired_state": "stopped", "gateway_state": "draining"}\n',
    );
    expect(lstatSync(at(NAME)).mode & 0o7777).toBe(0o644);
    expect(readdirSync(volume)).toEqual([NAME]);
  });

  it("makes no file where there is none", async () => {
    await update();
    expect(readdirSync(volume)).toEqual([]);
  });

  it.each<[string, string]>([
    ["says so already", '{"desired_state":"stopped"}'],
    ["is no JSON", '{"desired_state":"running"'],
    ["is JSON and no object", "[]"],
    ["is empty", ""],
    ["is larger than 64 KiB", `{"desired_state":"running"${" ".repeat(65_536)}}`],
    ["is no UTF-8", '{"a":"\ufffd","desired_state":"running"}'],
  ])("does not touch a file that %s", async (_, text) => {
    write(text);
    const { ino } = lstatSync(at(NAME));
    await update();
    expect(readFileSync(at(NAME), "utf8")).toBe(text);
    expect(lstatSync(at(NAME)).ino).toBe(ino);
    expect(readdirSync(volume)).toEqual([NAME]);
  });

  it("takes a file of 64 KiB", async () => {
    const text = `{"desired_state":"running"${" ".repeat(65_509)}}`;
    expect(text.length).toBe(65_536);
    write(text);
    await update();
    expect(readFileSync(at(NAME), "utf8")).toBe(text.replace("running", "stopped"));
  });

  it("follows no link, neither to a file nor on the way", async () => {
    mkdirSync(at("elsewhere"));
    write('{"desired_state":"running"}', at(`elsewhere/${NAME}`));
    symlinkSync(`elsewhere/${NAME}`, at(NAME));
    await update();
    expect(lstatSync(at(NAME)).isSymbolicLink()).toBe(true);
    symlinkSync("elsewhere", at("profile"));
    const failing = update(at(`profile/${NAME}`));
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(/^Cannot read .* for this stop: .* leads through a link, to /);
    expect(readFileSync(at(`elsewhere/${NAME}`), "utf8")).toBe('{"desired_state":"running"}');
  });

  it("does not wait at a FIFO", async () => {
    execFileSync("mkfifo", [at(NAME)]);
    await update();
    expect(lstatSync(at(NAME)).isFIFO()).toBe(true);
  });

  // The other writer has its turn when the new text is on the disk and not yet in its place: sync is what runs there.
  it("reads again when its other writer was faster, and loses nothing of either", async () => {
    write('{"n": 0, "desired_state": "running"}');
    const real = execFileSync("sh", ["-c", "command -v sync"], { encoding: "utf8" }).trim();
    writeProgram(
      join(bin, "sync"),
      `[ -e '${folder}/bin/done' ] || printf '%s' '{"n": 1, "desired_state": "running"}' >'${at(NAME)}'`,
      `: >'${folder}/bin/done'`,
      `exec ${real} "$@"`,
    );
    chmodSync(bin, 0o777);
    await update();
    expect(readFileSync(at(NAME), "utf8")).toBe('{"n": 1, "desired_state": "stopped"}');
    expect(readdirSync(volume)).toEqual([NAME]);
  });

  it("gives up where its other writer is faster each time, and leaves its file to it", async () => {
    write('{"desired_state": "running"}');
    writeProgram(join(bin, "sync"), `printf ' ' >>'${at(NAME)}'`);
    await expect(update()).rejects.toThrow(/: another writer changes it all the time\.$/);
    expect(readFileSync(at(NAME), "utf8").trimEnd()).toBe('{"desired_state": "running"}');
    expect(readdirSync(volume)).toEqual([NAME]);
  });
}

describe("an update step, by a user without privileges,", () => {
  beforeEach(() => {
    vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
    writeProgram(join(bin, "s6-setuidgid"), "echo 'not to be called' >&2", "exit 1");
  });

  behaviours();
});

describe("an update step, by root as the service user,", () => {
  beforeEach(({ skip }) => {
    needsRoot(skip, "to drop its privileges");
    chownSync(volume, NOBODY, NOBODY);
    writeProgram(
      join(bin, "s6-setuidgid"),
      '[ "$1" = hermes ] || exit 100',
      "shift",
      `exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`,
    );
  });

  behaviours();

  it("writes a file of that user's", async () => {
    write('{"desired_state":"running"}');
    await update();
    expect(lstatSync(at(NAME))).toMatchObject({ uid: NOBODY, gid: NOBODY });
  });

  it("shows that user nothing that only root may read", async () => {
    mkdirSync(join(folder, "root"), { mode: 0o700 });
    writeFileSync(join(folder, "root", NAME), '{"secret":1}', { mode: 0o600 });
    symlinkSync("../root", at("profile"));
    await expect(update(at(`profile/${NAME}`))).rejects.toThrow(/as hermes for this stop: .*\bcd: /);
    expect(readdirSync(volume)).toEqual(["profile"]);
    expect(readFileSync(join(folder, "root", NAME), "utf8")).toBe('{"secret":1}');
  });
});

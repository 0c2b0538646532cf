import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FileError, ProgramNotFoundError } from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder, writeProgram } from "../temporary_folder.ts";

const NAME = ".gatewarden.json";

let folder: string;
let volume: string;
const at = (name: string): string => join(volume, name);

beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder, 0o755);
  volume = join(folder, "volume");
  mkdirSync(volume);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
});

/** Puts a program in the place of s6-setuidgid; it gets the user and the command. */
function setuidgid(...lines: string[]): void {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeProgram(join(bin, "s6-setuidgid"), ...lines);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
}

function replace(path: string, text: string = "new\n"): Promise<unknown> {
  return execute({
    verb: "stop",
    profile: "coder",
    service: "gateway-coder",
    steps: [{ do: "replace", path, text, as: "hermes" }],
  });
}

function behaviours(): void {
  it.each<[string, string]>([
    ["nothing", ""],
    ["a line", '{"desired":"running"}\n'],
    ["characters that mean something to a shell", "$HOME `id` 'a' \"b\" \\n \\ %s\n\n\n"],
    ["text without a newline at the end", "ü🙂"],
    ["more than a pipe holds", "0123456789abcde\n".repeat(20_000)],
  ])("writes %s, to the last byte", async (_, text) => {
    await replace(at(NAME), text);
    expect(readFileSync(at(NAME), "utf8")).toBe(text);
    expect(readdirSync(volume)).toEqual([NAME]);
  });

  it("puts a new file, for its user alone, in the place of the old one", async () => {
    writeFileSync(at(NAME), "old\n", { mode: 0o666 });
    const before = lstatSync(at(NAME)).ino;
    await replace(at(NAME));
    expect(readFileSync(at(NAME), "utf8")).toBe("new\n");
    expect(lstatSync(at(NAME)).mode & 0o7777).toBe(0o600);
    expect(lstatSync(at(NAME)).ino).not.toBe(before);
  });

  it.each(["target", "nowhere"])(
    "puts it in the place of a link, and leaves what it leads to: %s",
    async (to) => {
      writeFileSync(join(folder, "target"), "kept");
      symlinkSync(`../${to}`, at(NAME));
      await replace(at(NAME));
      expect(lstatSync(at(NAME)).isFile()).toBe(true);
      expect(readFileSync(join(folder, "target"), "utf8")).toBe("kept");
      expect(readdirSync(folder)).not.toContain("nowhere");
    },
  );

  it("puts it in the place of a link to a folder, and nothing into that folder", async () => {
    mkdirSync(join(folder, "target"));
    symlinkSync("../target", at(NAME));
    await replace(at(NAME));
    expect(readFileSync(at(NAME), "utf8")).toBe("new\n");
    expect(readdirSync(join(folder, "target"))).toEqual([]);
  });

  it("fails where a folder is in the way, and leaves nothing behind", async () => {
    mkdirSync(at(NAME));
    const failing = replace(at(NAME));
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(
      /^Cannot write \S+\.gatewarden\.json .*for this stop: .*overwrite directory/,
    );
    expect(readdirSync(volume)).toEqual([NAME]);
    expect(readdirSync(at(NAME))).toEqual([]);
  });

  it("fails where the folder is missing, and makes none", async () => {
    const failing = replace(at(`absent/${NAME}`));
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(/cd: .*absent/);
    expect(readdirSync(volume)).toEqual([]);
  });

  it.each(["profile", "profile/inner"])("writes nothing where a link led: %s", async (path) => {
    mkdirSync(at("elsewhere/inner"), { recursive: true });
    chmodSync(at("elsewhere"), 0o777);
    chmodSync(at("elsewhere/inner"), 0o777);
    symlinkSync("elsewhere", at("profile"));
    const failing = replace(at(`${path}/${NAME}`));
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(
      `${at(path)} leads through a link, to ${at(path.replace("profile", "elsewhere"))}.`,
    );
    expect(readdirSync(at("elsewhere"))).toEqual(["inner"]);
    expect(readdirSync(at("elsewhere/inner"))).toEqual([]);
  });

  it("takes a name that starts with a dash, and spaces, for what they are", async () => {
    mkdirSync(at("-a b"));
    chmodSync(at("-a b"), 0o777);
    await replace(at("-a b/-n $x"));
    expect(readFileSync(at("-a b/-n $x"), "utf8")).toBe("new\n");
  });
}

describe("a replace step, by a user without privileges,", () => {
  beforeEach(() => {
    vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
    setuidgid("echo 'not to be called' >&2", "exit 1");
  });

  behaviours();

  it("says whose rights it had when it fails: the caller's", async () => {
    await expect(replace("/nonexistent/x")).rejects.toThrow(
      /^Cannot write \/nonexistent\/x for this stop: \S/,
    );
  });
});

describe("a replace step, by root,", () => {
  describe("as the service user", () => {
    beforeEach(({ skip }) => {
      needsRoot(skip, "to drop its privileges");
      chownSync(volume, NOBODY, NOBODY);
      setuidgid(
        '[ "$1" = hermes ] || exit 100',
        "shift",
        `exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`,
      );
    });

    behaviours();

    it("writes a file of that user's", async () => {
      await replace(at(NAME));
      expect(lstatSync(at(NAME))).toMatchObject({ uid: NOBODY, gid: NOBODY });
    });

    it("writes nothing where only root may, although a link on the volume leads there", async () => {
      mkdirSync(join(folder, "root"));
      symlinkSync("../root", at("profile"));
      const failing = replace(at(`profile/${NAME}`));
      await expect(failing).rejects.toThrow(
        /as hermes for this stop: .* leads through a link, to .*\/root\.$/,
      );
      // Nor without the link: it is that user who writes.
      const direct = replace(join(folder, "root", NAME));
      await expect(direct).rejects.toThrow(/as hermes for this stop: .*Permission denied/);
      expect(readdirSync(join(folder, "root"))).toEqual([]);
      expect(readlinkSync(at("profile"))).toBe("../root");
    });
  });

  it("names the folder and the file of a path in the root folder", async ({ skip }) => {
    needsRoot(skip, "to drop its privileges");
    const words = "for word do folder=${file-} file=${size-} size=$word; done";
    setuidgid(words, 'echo "<$folder> <$file>" >&2', "exit 1");
    await expect(replace("/.gatewarden.json")).rejects.toThrow("</> <.gatewarden.json>");
  });

  it("says as whom, and what the program that failed has said, no more", async ({ skip }) => {
    needsRoot(skip, "to drop its privileges");
    setuidgid("echo 's6-setuidgid: fatal: unknown user: hermes' >&2", "exit 1");
    await expect(replace(at(NAME), "x".repeat(200_000))).rejects.toThrow(
      `Cannot write ${at(NAME)} as hermes for this stop: s6-setuidgid: fatal: unknown user: hermes.`,
    );
    writeProgram(join(folder, "bin/s6-setuidgid"), "exit 3");
    await expect(replace(at(NAME))).rejects.toThrow(/: no reason was given\.$/);
  });

  it("fails with a typed error when there is no s6-setuidgid, and does not write as root", async ({ skip }) => {
    needsRoot(skip, "to drop its privileges");
    vi.stubEnv("PATH", dirname(folder));
    await expect(replace(at(NAME))).rejects.toBeInstanceOf(ProgramNotFoundError);
    expect(readdirSync(volume)).toEqual([]);
  });
});

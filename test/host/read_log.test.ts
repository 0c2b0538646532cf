import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LogFolder } from "../../src/host/log_files.ts";
import { type LogRange, readLog } from "../../src/host/read_log.ts";

let path: string;
let loggers: ChildProcess[];
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "gatewarden-test-"));
  loggers = [];
});
afterEach(() => {
  for (const logger of loggers) logger.kill("SIGKILL");
  rmSync(path, { recursive: true });
});

/** A name s6-log gives to a rotated file; a higher number is later. */
const rotated = (number: number, suffix = "s"): string =>
  `@4000000069${String(number).padStart(14, "0")}.${suffix}`;

function write(name: string, text: string): void {
  writeFileSync(join(path, name), text);
}

async function read(range: LogRange = {}, folder: Partial<LogFolder> = {}): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of readLog({ path, ...folder }, range)) {
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/** Follows the log until all has been read that `isEnd` waits for. */
async function follow(
  isEnd: (text: string) => boolean,
  lines?: number,
  onText?: () => void,
): Promise<string> {
  const ended = new AbortController();
  const decoder = new TextDecoder();
  let text = "";
  const range = { followUntil: ended.signal, ...(lines === undefined ? {} : { lines }) };
  for await (const chunk of readLog({ path }, range)) {
    text += decoder.decode(chunk, { stream: true });
    onText?.();
    if (isEnd(text)) ended.abort();
  }
  return text;
}

/** A real s6-log that rotates every 4 KiB, the least it takes. */
function startLogger(files: number): ChildProcess {
  const logger = spawn("s6-log", [`n${files}`, "s4096", path], { stdio: ["pipe", "inherit", "inherit"] });
  loggers.push(logger);
  return logger;
}

async function feed(logger: ChildProcess, from: number, to: number): Promise<void> {
  const text = numbers(from, to);
  if (logger.stdin?.write(text) === false) await once(logger.stdin, "drain");
}

function numbers(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join("");
}

describe("readLog", () => {
  it("reads the rotated files in order, then current", async () => {
    write("current", "5\n");
    write(rotated(3), "3\n");
    write(rotated(2, "u"), "2\n");
    write(rotated(10), "4\n");
    write("lock", "no");
    write("state", "no");
    write("@short.s", "no");
    expect(await read()).toBe("2\n3\n4\n5\n");
  });

  it("reads a file that is being rotated once, under whichever of its names", async () => {
    write(rotated(1), "1\n");
    write("previous", "2\n");
    write("current", "3\n");
    expect(await read()).toBe("1\n2\n3\n");
    execFileSync("ln", [join(path, "previous"), join(path, rotated(2))]);
    expect(await read()).toBe("1\n2\n3\n");
  });

  it("reads a file that gets its final name just now", async () => {
    write("previous", "1\n");
    write("current", "2\n");
    // The link is met, and refused, between the look into the folder and the opening of what was seen there.
    symlinkSync("nowhere", join(path, rotated(1)));
    let renamed = false;
    const onRefused = (): void => {
      if (!renamed) renameSync(join(path, "previous"), join(path, rotated(2)));
      renamed = true;
    };
    expect(await read({}, { onRefused })).toBe("1\n2\n");
  });

  it("ends also when somebody renames files all the time", async () => {
    write("current", "1\n");
    symlinkSync("nowhere", join(path, rotated(1)));
    let count = 1;
    const onRefused = (name: string): void => renameSync(join(path, name), join(path, rotated(count += 1)));
    expect(await read({}, { onRefused })).toBe("1\n");
  });

  it("is empty when there is no log, and when there is no folder", async () => {
    expect(await read()).toBe("");
    expect(await read({}, { path: join(path, "none") })).toBe("");
  });

  it("ends the line that a killed logger left", async () => {
    write(rotated(1, "u"), "1\nhal");
    write("current", "2\n");
    expect(await read()).toBe("1\nhal\n2\n");
  });

  it.each([
    [0, ""],
    [1, "7\n"],
    [2, "6\n7\n"],
    [3, "5\n6\n7\n"],
    [5, "3\n4\n5\n6\n7\n"],
    [7, "1\n2\n3\n4\n5\n6\n7\n"],
    [99, "1\n2\n3\n4\n5\n6\n7\n"],
  ])("reads the last %i lines across files", async (lines, text) => {
    write(rotated(1), "1\n2\n");
    write(rotated(2), "");
    write(rotated(3), "3\n4\n5\n");
    write("current", "6\n7\n");
    expect(await read({ lines })).toBe(text);
  });

  it("finds the last lines however long they are", async () => {
    const long = "x".repeat(200_000);
    write("current", `first\n${long}\n${long}\nhalf`);
    expect(await read({ lines: 1 })).toBe("half");
    expect(await read({ lines: 2 })).toBe(`${long}\nhalf`);
    expect(await read({ lines: 4 })).toBe(`first\n${long}\n${long}\nhalf`);
  });

  it("follows what is appended, and begins with the last lines", async () => {
    write("current", "1\n2\n3\n");
    let appended = false;
    const text = await follow((text) => text.endsWith("4\n"), 2, () => {
      if (!appended) appendFileSync(join(path, "current"), "4\n");
      appended = true;
    });
    expect(text).toBe("2\n3\n4\n");
  });

  it("follows a log that is not there yet, nor its folder", async () => {
    rmSync(path, { recursive: true });
    const following = follow((text) => text === "1\n");
    mkdirSync(path);
    write("current", "1\n");
    expect(await following).toBe("1\n");
  });

  it("catches up with several rotations at once, and repeats nothing", async () => {
    write(rotated(1), "1\n");
    write("current", "2\n");
    let rotations = 0;
    const text = await follow((text) => text.endsWith("6\n"), undefined, () => {
      if (rotations++ > 0) return;
      appendFileSync(join(path, "current"), "3\n");
      renameSync(join(path, "current"), join(path, rotated(2)));
      write(rotated(3), "4\n");
      write("previous", "5\n");
      write("current", "6\n");
    });
    expect(text).toBe("1\n2\n3\n4\n5\n6\n");
  });

  it("reads a file to its end before it goes on to the next", async () => {
    write("current", "1\n");
    const ended = new AbortController();
    let text = "";
    let late = false;
    // The link is met, and refused, when the file is already known to be a rotated one.
    const onRefused = (): void => {
      if (!late && text !== "") appendFileSync(join(path, rotated(2)), "2\n");
      late = text !== "";
    };
    for await (const chunk of readLog({ path, onRefused }, { followUntil: ended.signal })) {
      text += new TextDecoder().decode(chunk);
      if (text === "1\n") {
        symlinkSync("nowhere", join(path, rotated(1)));
        renameSync(join(path, "current"), join(path, rotated(2)));
        write("current", "3\n");
      }
      if (text.endsWith("3\n")) ended.abort();
    }
    expect(text).toBe("1\n2\n3\n");
  });

  it("goes on with what is left when its file was removed meanwhile", async () => {
    write("current", "1\n");
    let removed = false;
    const text = await follow((text) => text.endsWith("3\n"), undefined, () => {
      if (removed) return;
      removed = true;
      unlinkSync(join(path, "current"));
      write(rotated(5), "2\n");
      write("current", "3\n");
    });
    expect(text).toBe("1\n2\n3\n");
  });

  it("loses and repeats no line of a real s6-log that rotates all the time", async () => {
    const count = 30_000;
    const logger = startLogger(10_000);
    const following = follow((text) => text.endsWith(`line ${count - 1}\n`));
    for (let from = 0; from < count; from += 500) await feed(logger, from, from + 500);
    expect(await following).toBe(numbers(0, count));
    expect(readdirSync(path).length).toBeGreaterThan(20);
  });

  it("reads a real s6-log without a gap, also while it rotates", async () => {
    const logger = startLogger(10_000);
    let fed = 0;
    let done = false;
    const feeding = (async () => {
      while (!done && fed < 100_000) await feed(logger, fed, fed += 100);
    })();
    for (let round = 0; round < 40; round += 1) {
      const text = await read();
      const lines = text.split("\n").length - 1;
      // A line may be there in part only: s6-log writes what it has.
      expect(numbers(0, lines + 1).startsWith(text)).toBe(true);
    }
    done = true;
    await feeding;
  });

  it("leaves out links, and what is no file", async () => {
    write("secret", "secret\n");
    symlinkSync("secret", join(path, rotated(1)));
    execFileSync("mkfifo", [join(path, rotated(2))]);
    mkdirSync(join(path, rotated(3)));
    write("current", "1\n");
    const refused: string[] = [];
    const text = await read({}, { onRefused: (name, reason) => refused.push(`${name}: ${reason}`) });
    expect(text).toBe("1\n");
    expect(refused).toEqual([
      `${rotated(1)}: it is a link`,
      `${rotated(2)}: it is no regular file`,
      `${rotated(3)}: it is no regular file`,
    ]);
  });

  it("leaves out what belongs to another user than it should", async () => {
    const uid = process.getuid?.() ?? 0;
    write("current", "1\n");
    expect(await read({}, { owner: uid })).toBe("1\n");
    const refused = new Set<string>();
    const onRefused = (name: string, reason: string): void => void refused.add(`${name}: ${reason}`);
    expect(await read({}, { owner: uid + 1, onRefused })).toBe("");
    expect([...refused]).toEqual([`current: it belongs to user ${uid}, not ${uid + 1}`]);
  });

  it("reads through a swapped folder only what belongs to the right user", async (context) => {
    context.skip(process.getuid?.() !== 0, "only root can give a file away");
    write("current", "theirs\n");
    chownSync(join(path, "current"), 4242, 4242);
    const link = `${path}.link`;
    symlinkSync(path, link);
    try {
      expect(await read({}, { path: link, owner: 4242 })).toBe("theirs\n");
      chownSync(join(path, "current"), 0, 0);
      expect(await read({}, { path: link, owner: 4242 })).toBe("");
    } finally {
      unlinkSync(link);
    }
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  findProgram,
  findUser,
  isAlive,
  processIdentity,
  processStartTime,
  userName,
} from "../../src/host/facts.ts";
import { temporaryFolder, writeProgram } from "../temporary_folder.ts";

vi.mock("node:fs", { spy: true });

/** Starts a program that is killed when the test is over. */
function start(program: string, ...args: string[]): ChildProcess & { readonly pid: number } {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.pid === undefined) throw new Error(`${program} did not start`);
  return Object.assign(child, { pid: child.pid });
}

/** What ps would call the state of a process: R, S, Z... */
const stateOf = (pid: number): string | undefined =>
  / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];

describe("processStartTime", () => {
  it("is the same for the whole life of a process", () => {
    const first = processStartTime(process.pid);
    expect(first).toBeGreaterThan(0);
    expect(processStartTime(process.pid)).toBe(first);
  });

  it("is later for a process that was started later", () => {
    const child = start("cat");
    expect(processStartTime(child.pid)).toBeGreaterThanOrEqual(processStartTime(process.pid) ?? Infinity);
    expect(processStartTime(child.pid)).toBeLessThan((processStartTime(process.pid) ?? 0) + 60 * 60 * 100);
  });

  it("is read right when the program's name looks like the fields after it", () => {
    const program = writeProgram(join(temporaryFolder(), "a) S 1 2 (b"), "read -r line");
    const child = start(program);
    const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
    expect(stat).toContain("(a) S 1 2 (b)");
    // Field 22, and the name is field 2 and has four spaces in it.
    expect(processStartTime(child.pid)).toBe(Number(stat.split(" ")[21 + 4]));
  });

  it.each([0, -1, 2 ** 22 + 1])("is unknown where there is no process: %i", (pid) => {
    expect(processStartTime(pid)).toBeUndefined();
  });
});

describe("isAlive", () => {
  it("says yes to this process, and to another that runs", () => {
    const { pid } = start("cat");
    expect(isAlive(processIdentity())).toBe(true);
    expect(isAlive({ ...processIdentity(), pid, startTime: processStartTime(pid) ?? 0 })).toBe(true);
  });

  it("says no to a process that has ended", async () => {
    const child = start("cat");
    const identity = { ...processIdentity(), pid: child.pid, startTime: processStartTime(child.pid) ?? 0 };
    child.stdin?.end();
    await once(child, "exit");
    expect(isAlive(identity)).toBe(false);
  });

  it("says no to a process that was killed and whose parent does not ask after it", async () => {
    const parent = start("/bin/sh", "-c", "sleep 60 & echo $!; exec sleep 60");
    const [line] = await once(parent.stdout ?? process.stdin, "data");
    const pid = Number(String(line));
    const identity = { ...processIdentity(), pid, startTime: processStartTime(pid) ?? 0 };
    expect(isAlive(identity)).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => stateOf(pid)).toBe("Z");
    expect(isAlive(identity)).toBe(false);
  });

  it("says no to another process that has got the same id", () => {
    const { startTime, ...self } = processIdentity();
    expect(isAlive({ ...self, startTime: startTime - 1 })).toBe(false);
  });

  it("says no to a process of another process id namespace", () => {
    expect(isAlive({ ...processIdentity(), pidNamespace: "1" })).toBe(false);
  });
});

describe("processIdentity", () => {
  it("names this process, its start and its namespace", () => {
    const { pid, startTime, pidNamespace } = processIdentity();
    expect([pid, startTime]).toEqual([process.pid, processStartTime(process.pid)]);
    expect(pidNamespace).toMatch(/^[1-9]\d*$/);
  });
});

describe("findProgram", () => {
  let folder: string;
  const NAME = "gatewarden-test-program";
  beforeEach(() => {
    folder = temporaryFolder();
    for (const name of ["first", "second"]) mkdirSync(join(folder, name));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.resetAllMocks();
    });
  });

  function searchPath(...folders: string[]): void {
    vi.stubEnv("PATH", folders.join(":"));
  }

  it("finds it on PATH, in the first folder that has it", () => {
    const first = writeProgram(join(folder, "first", NAME));
    const second = writeProgram(join(folder, "second", NAME));
    searchPath(join(folder, "absent"), join(folder, "first"), join(folder, "second"));
    expect(findProgram(NAME)).toBe(first);
    searchPath(join(folder, "second"), join(folder, "first"));
    expect(findProgram(NAME)).toBe(second);
  });

  it("goes past what cannot be run, and takes a link to what can", () => {
    const program = writeProgram(join(folder, NAME));
    for (const name of ["file", "folder", "dangling", "link"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "file", NAME), "");
    mkdirSync(join(folder, "folder", NAME));
    symlinkSync("nowhere", join(folder, "dangling", NAME));
    symlinkSync(program, join(folder, "link", NAME));
    searchPath(...["file", "folder", "dangling", "link"].map((name) => join(folder, name)));
    expect(findProgram(NAME)).toBe(join(folder, "link", NAME));
  });

  it("does not look into folders that depend on where it is called", () => {
    writeProgram(join(folder, NAME));
    searchPath(relative(process.cwd(), folder), "", ".");
    expect(findProgram(NAME)).toBeUndefined();
  });

  it("looks into /command, s6-overlay's folder, before PATH and without it being there", () => {
    writeProgram(join(folder, "first", NAME));
    searchPath(join(folder, "first"));
    const isFile = { isFile: (): boolean => true };
    vi.mocked(accessSync).mockImplementationOnce(() => {});
    vi.mocked(statSync).mockImplementationOnce(
      ((path: string) => {
        expect(path).toBe(`/command/${NAME}`);
        return isFile;
      }) as typeof statSync,
    );
    expect(findProgram(NAME)).toBe(`/command/${NAME}`);
    expect(findProgram(NAME)).toBe(join(folder, "first", NAME));
  });

  it("finds nothing where there is nothing, or no PATH", () => {
    searchPath(join(folder, "first"));
    expect(findProgram(NAME)).toBeUndefined();
    vi.stubEnv("PATH", undefined);
    expect(findProgram(NAME)).toBeUndefined();
  });
});

describe("findUser and userName", () => {
  it("know root by name and by number", () => {
    expect(findUser("root")).toEqual({ uid: 0, gid: 0 });
    expect(userName(0)).toBe("root");
  });

  it("know no user that the machine does not know", () => {
    expect(findUser("gatewarden-nobody-has-this-name")).toBeUndefined();
    expect(findUser("")).toBeUndefined();
    expect(userName(4_000_000_000)).toBe("4000000000");
  });
});

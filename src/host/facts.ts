/** What this machine is. Reads only, works as any user; what cannot be read is "no", never an exception. */
import { accessSync, constants, readFileSync, readlinkSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { ProgramNotFoundError } from "../errors.ts";
import type { HostFacts } from "../manager.ts";

/** Reads what detection and rendering depend on. `root` is where the file system starts, for tests: `/`. */
export function readHostFacts(root: string = "/"): HostFacts {
  return {
    platform: process.platform,
    pid1: readLine(join(root, "proc/1/comm")),
    s6Basedir: isFolder(join(root, "run/s6/basedir")),
    withContenv: isExecutable(join(root, "command/with-contenv")),
    systemdBooted: isFolder(join(root, "run/systemd/system")),
    systemctl: hasSystemctl(),
  };
}

/**
 * Where a program is: in `/command`, s6-overlay's folder, which `docker exec` leaves out of PATH, else on PATH.
 * Undefined when it is in neither.
 */
export function findProgram(name: string): string | undefined {
  const folders = ["/command", ...pathFolders()];
  return folders.filter((folder) => folder.startsWith("/")).map((folder) => join(folder, name)).find(
    isExecutable,
  );
}

/** The ids of a user by `/etc/passwd`, undefined where it does not name the user. */
export function findUser(name: string): { readonly uid: number; readonly gid: number } | undefined {
  for (const line of readText("/etc/passwd").split("\n")) {
    const [user, , uid, gid] = line.split(":");
    if (user === name && uid !== undefined && gid !== undefined) {
      return { uid: Number(uid), gid: Number(gid) };
    }
  }
  return undefined;
}

/** The name of a user by `/etc/passwd`, else the number. */
export function userName(uid: number): string {
  const line = readText("/etc/passwd").split("\n").find((one) => one.split(":")[2] === String(uid));
  return line?.split(":")[0] ?? String(uid);
}

/**
 * The words that run a program as another user, when root calls. It gets a session of its own before that: what has
 * the terminal of root's session could type into it (TIOCSTI), and the user can take over any process of its own.
 *
 * @throws {ProgramNotFoundError} When there is nothing that could.
 */
export function dropTo(user: string): string[] {
  const setsid = findProgram("s6-setsid");
  // It is no error that a process leads a session already.
  return [...(setsid === undefined ? [] : [setsid, "-q"]), ...become(user)];
}

function become(user: string): string[] {
  const setuidgid = findProgram("s6-setuidgid");
  if (setuidgid !== undefined) return [setuidgid, user];
  const setpriv = findProgram("setpriv");
  const ids = findUser(user);
  if (setpriv === undefined || ids === undefined) {
    throw new ProgramNotFoundError(
      "s6-setuidgid",
      "It comes with s6; setpriv, from util-linux, would do as well.",
    );
  }
  return [setpriv, `--reuid=${ids.uid}`, `--regid=${ids.gid}`, "--init-groups", "--"];
}

/** The value s6-overlay gives to every service for a variable (with-contenv), undefined outside of s6-overlay. */
export function containerEnvironment(name: string): string | undefined {
  return readText(`/run/s6/container_environment/${name}`).replace(/\n$/, "") || undefined;
}

function pathFolders(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter);
}

function hasSystemctl(): boolean {
  try {
    return pathFolders().some((folder) => folder !== "" && isExecutable(join(folder, "systemctl")));
  } catch {
    return false; // Deno does not let us read PATH.
  }
}

/** The caller's user id; undefined where there is none or Deno keeps it from us. */
export function callerUid(): number | undefined {
  try {
    return process.getuid?.();
  } catch {
    return undefined;
  }
}

/** The folder for a user's runtime files (XDG_RUNTIME_DIR); undefined where there is none or Deno keeps it from us. */
export function runtimeFolder(): string | undefined {
  try {
    return process.env["XDG_RUNTIME_DIR"] || undefined;
  } catch {
    return undefined;
  }
}

function readLine(path: string): string | undefined {
  return readText(path).split("\n")[0] || undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** When a process started, in clock ticks since boot: field 22 of /proc/PID/stat. Undefined when there is no such process. */
export function processStartTime(pid: number): number | undefined {
  const startTime = statFields(pid)[19];
  return startTime === undefined ? undefined : Number(startTime);
}

/** The fields of /proc/PID/stat from the third on: the second is the program's name in parentheses, of any characters. */
function statFields(pid: number): string[] {
  return readText(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ") ?? [];
}

/** A process, told from any other that has had or will have its id. */
export interface ProcessIdentity {
  /** The inode of its process id namespace: in another one, its id means another process. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** When it started, in clock ticks since boot. */
  readonly startTime: number;
}

/** This process. */
export function processIdentity(): ProcessIdentity {
  return { pidNamespace: pidNamespace(), pid: process.pid, startTime: processStartTime(process.pid) ?? 0 };
}

/**
 * Whether a process still lives. One of another process id namespace counts as dead: its container is gone. So does
 * one that has ended and whose parent has not asked after it (a zombie): where process 1 asks after nobody, it stays.
 * Where nobody can look, as under Deno without --allow-all, every process may live.
 */
export function isAlive({ pidNamespace: namespace, pid, startTime }: ProcessIdentity): boolean {
  const here = pidNamespace();
  if (here === UNKNOWN_NAMESPACE) return true;
  const known = namespace !== UNKNOWN_NAMESPACE;
  if (known && (namespace !== here || processStartTime(pid) !== startTime)) return false;
  const state = statFields(pid)[0] ?? "";
  return state !== "" && state !== "Z";
}

const UNKNOWN_NAMESPACE = "0";

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? UNKNOWN_NAMESPACE;
  } catch {
    return UNKNOWN_NAMESPACE;
  }
}

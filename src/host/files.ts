/** The file system, through no link. Paths are in folders that nobody else can change: see `assertOwnTree`. */
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { FileError, PermissionError } from "../errors.ts";

/** What a file holds at most when it is read whole: 64 KiB. */
export const READ_LIMIT: number = 64 * 1024;

/** Whether this process is root's. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Makes a folder with exactly this mode, whatever the umask. Nothing may be there. */
export function makeFolder(path: string, mode: number, group?: number, owner?: number): void {
  mkdirSync(path, { mode: 0o700 });
  setGroupAndMode(path, mode, group);
  // Last of all: from then on it is another user's.
  if (owner !== undefined) chownSync(path, owner, group ?? process.getgid?.() ?? -1);
}

/** Gives a path of ours its group, by default the caller's, then its mode: a change of group may clear bits. */
export function setGroupAndMode(path: string, mode: number, group: number = process.getgid?.() ?? -1): void {
  chownSync(path, process.getuid?.() ?? -1, group);
  chmodSync(path, mode);
}

/** Writes a new file with exactly this mode, through to the disk, or none at all. Nothing may be there. */
export function writeNewFile(path: string, text: string, mode: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(path, flags, 0o600);
  try {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    fchmodSync(file, mode);
    fsyncSync(file);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Removes a file, or a folder with all that is in it. Absent is fine.
 *
 * A folder is closed to everybody else before it is read, and root goes into no folder of another user: between
 * looking at an entry and removing it, its owner could put a link there.
 */
export function removeTree(path: string): void {
  try {
    removeWhatIsThere(path);
  } catch (error) {
    // Another run clears the same leftovers away.
    if (!isErrno(error, "ENOENT", "ENOTDIR")) throw error;
  }
}

function removeWhatIsThere(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return unlinkSync(path);
  if (stats.uid !== process.getuid?.()) return removeForeignFolder(path);
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) removeTree(join(path, name));
  rmdirSync(path);
}

function removeForeignFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (cause) {
    if (!isErrno(cause, "ENOTEMPTY", "EEXIST")) throw cause;
    throw new FileError(`Cannot remove ${path}: it belongs to another user and is not empty.`, {
      hint: "Look at what is in it, then remove it as that user.",
      cause,
    });
  }
}

/** What is at a path, a link itself included; undefined when nothing is. */
export function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Whether a path is a folder and no link to one. */
export function isFolder(path: string): boolean {
  try {
    return lstatIfThere(path)?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** The names in a folder, sorted. */
export function listFolder(path: string): string[] {
  return readdirSync(path).sort();
}

/** The bytes of a regular file of at most 64 KiB. Undefined for anything else, and for what cannot be read. */
export function readSmallFile(path: string): Uint8Array | undefined {
  let file: number;
  try {
    // Without blocking, in case it is a FIFO.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = new Uint8Array(READ_LIMIT + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null);
    }
    return length > READ_LIMIT ? undefined : bytes.slice(0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The text of a small file, read through no link; undefined when it is not there or is no such file. */
export function readSmallText(path: string): string | undefined {
  const bytes = readSmallFile(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Whether some process reads from a FIFO. Undefined when that cannot be told: no permission, no FIFO. */
export function hasReader(fifo: string): boolean | undefined {
  let file: number;
  try {
    file = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    return isErrno(error, "ENXIO", "ENOENT", "ENOTDIR") ? false : undefined;
  }
  try {
    return fstatSync(file).isFIFO() || undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Refuses to go on as root where another user could change the path: whoever owns a scandir, or a folder above it,
 * decides what root would read, write and run there.
 *
 * @throws {PermissionError} Names the folder and the user.
 */
export function assertOwnTree(folder: string, describeUser: (uid: number) => string): void {
  if (!isRoot()) return;
  const real = realpathSync(folder);
  if (real !== resolve(folder)) {
    // Looking at both ends would not do: who owns a folder on the way can swap the link after the look.
    throw new PermissionError(`Cannot use ${folder} as root: it leads through a link, to ${real}.`, {
      hint: `Name that folder itself, if it is the right one: ${real}`,
    });
  }
  for (let path = real;; path = dirname(path)) {
    const stats = lstatSync(path);
    const sticky = (stats.mode & 0o1000) !== 0 && path !== real;
    if (stats.uid !== 0 || ((stats.mode & 0o022) !== 0 && !sticky)) {
      const owner = describeUser(stats.uid);
      throw new PermissionError(
        stats.uid === 0
          ? `Cannot use ${folder} as root: others than root can write to ${path}.`
          : `Cannot use ${folder} as root: ${path} belongs to ${owner}, who could turn that against root.`,
        {
          hint: stats.uid !== 0
            ? `Run the same command as ${owner}: s6-setuidgid ${owner} gatewarden ...`
            : (stats.mode & 0o1000) === 0
            ? `Close it with: chmod go-w ${path}`
            // A sticky folder is for everybody on purpose: /tmp.
            : "Name another folder, which only root can write to.",
        },
      );
    }
    if (path === dirname(path)) return;
  }
}

/** Whether an error is one of the system's, by name: `ENOENT`. */
export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

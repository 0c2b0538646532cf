/**
 * The files in a folder that s6-log writes to, oldest first: `@<TAI64N>.s` or `.u`, `previous` for the moment of a
 * rotation, `current`. The folder is on a volume that the service user can change at any moment, so nothing is
 * decided from a path: what is read is what was opened, through no link, and only what belongs to that user.
 * https://skarnet.org/software/s6/s6-log.html
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** A file that is open for reading. */
export interface LogFile {
  readonly name: string;
  readonly descriptor: number;
  readonly inode: number;
}

/** A log folder, and what may be read in it. */
export interface LogFolder {
  readonly path: string;
  /** The user the files must belong to; undefined for anybody's. */
  readonly owner?: number;
  /** Called with the name of a file that is left out, and why. */
  readonly onRefused?: (name: string, reason: string) => void;
}

const ROTATED = /^@[0-9a-f]{24}\.[su]$/;

/** s6-log takes a moment to rotate a file; only somebody who means harm renames files all the time. */
const MOST_TRIES = 100;

/** Opens every file of the log, oldest first, `current` last; whoever calls closes them. */
export function openLogFiles(folder: LogFolder): LogFile[] {
  for (let tries = 1;; tries += 1) {
    // `current` is opened first: when it is rotated now, it is in the list under its new name, and is known there by
    // its inode. The other way round a file could slip through.
    const current = openLogFile(folder, "current");
    const names = rotatedNames(folder.path);
    const files = withCurrent(openOlder(folder, names), current);
    // A file that got its final name meanwhile may have been met under neither name.
    const settled = names.join("/") === rotatedNames(folder.path).join("/");
    if (settled || tries === MOST_TRIES) return files;
    files.forEach(closeLogFile);
  }
}

function openOlder(folder: LogFolder, names: readonly string[]): LogFile[] {
  const files: LogFile[] = [];
  for (const name of names) {
    const file = openLogFile(folder, name);
    if (file === undefined) continue;
    // For a moment s6-log keeps a file under two names.
    if (file.inode === files.at(-1)?.inode) closeLogFile(file);
    else files.push(file);
  }
  return files;
}

/** Puts `current` in its place: last, unless it was rotated since it was opened. What came after it is left out. */
function withCurrent(older: readonly LogFile[], current: LogFile | undefined): LogFile[] {
  if (current === undefined) return [...older];
  const index = older.findIndex(({ inode }) => inode === current.inode);
  if (index === -1) return [...older, current];
  older.slice(index).forEach(closeLogFile);
  return [...older.slice(0, index), current];
}

/** Opens a file of the log; undefined when it is not there or may not be read. */
function openLogFile({ path, owner, onRefused }: LogFolder, name: string): LogFile | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a FIFO in the place of the file would block.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    descriptor = openSync(join(path, name), flags);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code !== "ELOOP") throw error;
    onRefused?.(name, "it is a link");
    return undefined;
  }
  const stat = fstatSync(descriptor);
  const reason = stat.isFile()
    ? owner === undefined || stat.uid === owner ? undefined : `it belongs to user ${stat.uid}, not ${owner}`
    : "it is no regular file";
  if (reason === undefined) return { name, descriptor, inode: stat.ino };
  closeSync(descriptor);
  onRefused?.(name, reason);
  return undefined;
}

/** Closes a file. */
export function closeLogFile({ descriptor }: LogFile): void {
  closeSync(descriptor);
}

/** The names of all files but `current`, oldest first. */
function rotatedNames(path: string): string[] {
  const names = listFolder(path);
  return [
    ...names.filter((name) => ROTATED.test(name)).sort(),
    ...names.filter((name) => name === "previous"),
  ];
}

/** The names in a folder; none when it is not there. */
function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

const CHUNK_BYTES = 65536;

/** Reads from a position on; what comes back is empty at the end of the file. */
export function readLogFile({ descriptor }: LogFile, position: number): Uint8Array {
  const chunk = new Uint8Array(CHUNK_BYTES);
  return chunk.subarray(0, readSync(descriptor, chunk, 0, CHUNK_BYTES, position));
}

/** How many bytes a file has now. */
export function sizeOfLogFile({ descriptor }: LogFile): number {
  return fstatSync(descriptor).size;
}

/**
 * Where the last lines of a file begin, and how many there are; a last line that is not ended counts.
 *
 * @param lines How many are wanted; there may be fewer.
 */
export function findLastLines(file: LogFile, lines: number): { position: number; lines: number } {
  const size = sizeOfLogFile(file);
  let found = 0;
  for (let end = size; end > 0; end -= Math.min(end, CHUNK_BYTES)) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const chunk = readLogFile(file, start).subarray(0, end - start);
    for (let index = chunk.length - 1; index >= 0; index -= 1) {
      const isEnd = chunk[index] === 0x0a && start + index !== size - 1;
      if (isEnd && (found += 1) === lines) return { position: start + index + 1, lines };
    }
  }
  return { position: 0, lines: size === 0 ? 0 : found + 1 };
}

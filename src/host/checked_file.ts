/** Files that decide what is run, or hold secrets. Each is opened once, and what is checked is the file that is open. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import process from "node:process";
import { PermissionError, UsageError } from "../errors.ts";
import { quoteSh } from "../quote/sh.ts";
import { userName } from "./facts.ts";
import { isErrno, isRoot, READ_LIMIT } from "./files.ts";

/**
 * The bytes of a file that nobody but its owner may read: a regular file of at most 64 KiB, reached through no link, that
 * belongs to the caller or root.
 *
 * @throws {PermissionError} When others may read or write it, it is another user's, or it is a link.
 * @throws {UsageError} When it is not there, is no file, or is too large.
 */
export function readPrivateFile(path: string): Uint8Array {
  let file: number;
  try {
    // Without blocking, in case it is a FIFO.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new UsageError(`Cannot use ${path}: it is no file.`);
    assertOwner(path, stats);
    if (process.getuid !== undefined && (stats.mode & 0o077) !== 0) {
      throw new PermissionError(`Cannot use ${path}: others than its owner may read or write it.`, {
        hint: `Close it with: chmod 600 ${quoteSh(path)}`,
      });
    }
    if (stats.size > READ_LIMIT) throw new UsageError(`Cannot use ${path}: it is larger than 64 KiB.`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function cannotOpen(path: string, cause: unknown): Error {
  if (isErrno(cause, "ELOOP", "EMLINK")) {
    return new PermissionError(`Cannot use ${path}: it is a link.`, {
      hint: "Name the file itself, or hand it over as standard input, with -.",
      cause,
    });
  }
  if (isErrno(cause, "EACCES", "EPERM")) {
    return new PermissionError(`Cannot use ${path}: ${userName(process.getuid?.() ?? 0)} may not read it.`, {
      hint: "Give it to that user, or hand it over as standard input, with -.",
      cause,
    });
  }
  if (!(cause instanceof Error) || !("code" in cause)) return cause as Error;
  const why = isErrno(cause, "ENOENT", "ENOTDIR") ? "there is no such file" : cause.message;
  return new UsageError(`Cannot use ${path}: ${why}.`, { cause });
}

/**
 * The text of a file, as UTF-8. For root, one that nobody but root can change: it decides what root renders.
 *
 * @throws {PermissionError} When root calls, and another user can change it.
 */
export function readUnchangeableText(path: string): string {
  const file = openSync(path, "r");
  try {
    if (isRoot()) assertUnchangeable(path, fstatSync(file));
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function assertUnchangeable(path: string, stats: Stats): void {
  assertOwner(path, stats);
  if ((stats.mode & 0o022) === 0) return;
  throw new PermissionError(`Cannot use ${path} as root: others than root can write to it.`, {
    hint: `Close it with: chmod go-w ${quoteSh(path)}`,
  });
}

/** Refuses a file that is neither the caller's nor root's. */
function assertOwner(path: string, { uid }: Stats): void {
  if (process.getuid === undefined || uid === 0 || uid === process.getuid()) return;
  const caller = userName(process.getuid());
  throw new PermissionError(`Cannot use ${path} as ${caller}: it belongs to ${userName(uid)}.`, {
    hint: isRoot()
      ? `If what it says is right, take it over with: chown root ${quoteSh(path)}`
      : "Name a file of your own.",
  });
}

/** What is in a scandir and in its slots. Reads only. */
import { basename, join } from "node:path";
import process from "node:process";
import { PermissionError } from "../errors.ts";
import { hasReader, isFolder, isRoot, lstatIfThere, readSmallFile } from "./files.ts";

/** What was read of a slot. */
export interface SlotReading {
  /** Whether there is a logger in `log/`. */
  readonly log: boolean;
  /** Whether an s6-supervise runs on it; undefined when the caller may not know. */
  readonly supervised: boolean | undefined;
  /** Whether there is a `down` file. */
  readonly down: boolean;
  /** Whether it is the caller's own. */
  readonly own: boolean;
  /** `supervise/status`, if it is there. */
  readonly record: Uint8Array | undefined;
}

/** What s6-supervise works in, as whoever runs it: it writes through links there. A logger has the same in log/. */
const SUPERVISED_FOLDERS: readonly string[] = [
  ".",
  "supervise",
  "event",
  "log",
  "log/supervise",
  "log/event",
];

/**
 * Refuses to work as root on a slot of which a folder is another user's, or open to others: they would decide what root
 * runs, or what it writes to. Where there is no slot, there is nothing to refuse.
 *
 * @throws {PermissionError} Names the folder and the mend.
 */
export function assertOwnSlot(slot: string, describeUser: (uid: number) => string): void {
  if (!isRoot() || !isFolder(slot)) return;
  for (const name of SUPERVISED_FOLDERS) {
    const path = join(slot, name);
    const stats = lstatIfThere(path);
    if (stats === undefined) continue;
    // Who may listen besides is for the operator to say, with s6-svperms.
    const mayBeOpen = basename(path) === "event";
    if (stats.uid === 0 && (mayBeOpen || stats.isSymbolicLink() || (stats.mode & 0o022) === 0)) continue;
    const why = stats.uid === 0
      ? `others than root can write to ${path}`
      : `${path} belongs to ${describeUser(stats.uid)}, who could turn that against root`;
    throw new PermissionError(`Cannot work on ${slot} as root: ${why}.`, {
      // To take it over would not do: the links that were put in it would stay.
      hint: `Stop what supervises it, remove ${slot}, and register it anew.`,
    });
  }
}

/** Reads a slot; undefined when there is no folder of that name. */
export function readSlot(slot: string): SlotReading | undefined {
  if (!isFolder(slot)) return undefined;
  return {
    log: isFolder(`${slot}/log`),
    supervised: hasReader(`${slot}/supervise/control`),
    down: lstatIfThere(`${slot}/down`) !== undefined,
    own: lstatIfThere(slot)?.uid === process.getuid?.(),
    record: readSmallFile(`${slot}/supervise/status`),
  };
}

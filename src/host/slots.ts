/** What is in a scandir and in its slots. Reads only. */
import process from "node:process";
import { hasReader, isFolder, lstatIfThere, readSmallFile } from "./files.ts";

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

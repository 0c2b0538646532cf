/** The processes of a tree, told by the folder they work in. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { vi } from "vitest";

/** A process that lives. */
export interface Process {
  readonly pid: number;
  /** Its program: `s6-supervise`. */
  readonly name: string;
  /** Its working directory; one that is gone ends with " (deleted)". */
  readonly folder: string;
}

/** The processes whose working directory is a folder, or below it. */
export function processesIn(folder: string): Process[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const at = readlinkSync(`/proc/${pid}/cwd`);
      if (at !== folder && !at.startsWith(`${folder}/`)) return [];
      return [{ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd(), folder: at }];
    } catch {
      return []; // It has ended meanwhile, or is another user's.
    }
  });
}

/** The user id a process runs as; undefined when there is none. */
export function userOf(pid: number): number | undefined {
  try {
    return Number(/^Uid:\t\d+\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

/** Kills what works in a folder, and waits until nothing does. */
export async function killAllIn(folder: string): Promise<void> {
  await vi.waitFor(() => {
    const left = processesIn(folder);
    for (const { pid } of left) kill(pid);
    if (left.length > 0) throw new Error(`still there: ${JSON.stringify(left)}`);
  }, { timeout: 10_000, interval: 5 });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

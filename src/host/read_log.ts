/** The log in a folder of s6-log as one stream of bytes, across rotations. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import {
  closeLogFile,
  findLastLines,
  type LogFile,
  type LogFolder,
  openLogFiles,
  readLogFile,
  sizeOfLogFile,
} from "./log_files.ts";
import { watchFolder } from "./watch_folder.ts";

/** What of a log is read. */
export interface LogRange {
  /** Only so many of the last lines; by default all. */
  readonly lines?: number;
  /** Ends the reading; without one, it ends when all that is there now is read. */
  readonly followUntil?: AbortSignal;
}

/** Reads a log. No line is lost or repeated when the log is rotated meanwhile. */
export async function* readLog(folder: LogFolder, range: LogRange = {}): AsyncGenerator<Uint8Array> {
  const { lines, followUntil } = range;
  // Watched before anything is read, so that what changes after the reading is noticed.
  const watched = followUntil === undefined ? undefined : watchFolder(folder.path, followUntil);
  const reader = new LogReader(folder, lines);
  try {
    yield* reader.read();
    while (watched !== undefined && followUntil?.aborted === false) {
      await watched.changed();
      yield* reader.read();
    }
  } finally {
    reader.close();
    watched?.close();
  }
}

/** Reads file after file. The last one stays open: it is known by its inode, which is its own as long as it is open. */
class LogReader {
  readonly #folder: LogFolder;
  #files: LogFile[];
  #position = 0;
  #knownNames: ReadonlySet<string>;
  #atLineStart = true;

  constructor(folder: LogFolder, lines: number | undefined) {
    this.#folder = folder;
    this.#files = openLogFiles(folder);
    this.#knownNames = namesOf(this.#files);
    if (lines !== undefined) this.#skipTo(lines);
  }

  /** All that is there and was not read yet. */
  *read(): Generator<Uint8Array> {
    do {
      for (let file = this.#files[0]; file !== undefined; file = this.#files[0]) {
        yield* this.#readToEnd(file);
        if (this.#files.length === 1) break;
        this.#leave(file);
        if (!this.#atLineStart) {
          this.#atLineStart = true;
          yield new Uint8Array([NEWLINE]);
        }
      }
    } while (this.#openNewer());
  }

  close(): void {
    for (const file of this.#files.splice(0)) closeLogFile(file);
  }

  *#readToEnd(file: LogFile): Generator<Uint8Array> {
    for (;;) {
      const chunk = readLogFile(file, this.#position);
      if (chunk.length === 0) return;
      this.#position += chunk.length;
      this.#atLineStart = chunk.at(-1) === NEWLINE;
      yield chunk;
    }
  }

  #leave(file: LogFile): void {
    closeLogFile(file);
    this.#files.shift();
    this.#position = 0;
  }

  /**
   * Opens what came after the file that was read last. That file is then complete, and is read to its end once more:
   * s6-log begins a new file only after its last write to the old one.
   */
  #openNewer(): boolean {
    const last = this.#files[0];
    if (last !== undefined && inodeOf(this.#folder.path, "current") === last.inode) return false;
    const all = openLogFiles(this.#folder);
    const index = all.findIndex(({ inode }) => inode === last?.inode);
    const newer = all.filter(({ name }, at) => at > index && !this.#knownNames.has(name));
    for (const file of all) if (!newer.includes(file)) closeLogFile(file);
    this.#knownNames = namesOf(all);
    this.#files.push(...newer);
    return newer.length > 0;
  }

  /** Moves to where the last lines of all files together begin. */
  #skipTo(lines: number): void {
    let wanted = lines;
    for (const file of this.#files.toReversed()) {
      const found = wanted === 0 ? { position: sizeOfLogFile(file), lines: 0 } : findLastLines(file, wanted);
      wanted -= found.lines;
      if (wanted > 0) continue;
      while (this.#files[0] !== undefined && this.#files[0] !== file) this.#leave(this.#files[0]);
      this.#position = found.position;
      return;
    }
  }
}

const NEWLINE = 0x0a;

/** The names that stay a file's own; those of `previous` and `current` go to another file one day. */
function namesOf(files: readonly LogFile[]): Set<string> {
  return new Set(files.map(({ name }) => name).filter((name) => name.startsWith("@")));
}

function inodeOf(folder: string, name: string): number | undefined {
  try {
    return lstatSync(join(folder, name)).ino;
  } catch {
    return undefined;
  }
}

/** Waiting for a folder to change. */
import { type FSWatcher, watch } from "node:fs";

/** How often a change is supposed where none is reported: some file systems report none. */
const POLL_MS = 1000;

/** A folder that is watched. */
export interface WatchedFolder {
  /** Returns when something in the folder may have changed since the last call, or the signal was given. */
  changed(): Promise<void>;
  /** Ends the watch. */
  close(): void;
}

/** Watches a folder, which need not be there yet. */
export function watchFolder(path: string, signal: AbortSignal): WatchedFolder {
  let pending = false;
  let wake = (): void => {};
  const notify = (): void => {
    pending = true;
    wake();
  };
  let watcher = tryWatch(path, notify);
  signal.addEventListener("abort", notify);
  return {
    changed: async () => {
      watcher ??= tryWatch(path, notify);
      if (!pending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, POLL_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      pending = false;
    },
    close: () => {
      signal.removeEventListener("abort", notify);
      watcher?.close();
    },
  };
}

function tryWatch(path: string, notify: () => void): FSWatcher | undefined {
  try {
    return watch(path, notify).on("error", notify);
  } catch {
    return undefined;
  }
}

/** Being asked to end by the terminal or another process, as a signal to those who wait. */
import process from "node:process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A wait for an interruption. */
export interface Interruption {
  /** Is aborted when the process is asked to end, instead of the process ending at once. */
  readonly signal: AbortSignal;
  /** Gives the signals their usual effect back. */
  close(): void;
}

/** Turns SIGINT, SIGTERM and SIGHUP into an abort signal. */
export function onInterruption(): Interruption {
  const controller = new AbortController();
  const abort = (name: string): void => controller.abort(name);
  for (const name of SIGNALS) process.on(name, abort);
  return {
    signal: controller.signal,
    close: () => {
      for (const name of SIGNALS) process.off(name, abort);
    },
  };
}

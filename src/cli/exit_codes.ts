/** Errors and states -> the exit code of the command line: the numbers of LSB's init scripts. */
import { GatewardenError } from "../errors.ts";
import type { State, Status } from "../manager.ts";

/** Done. */
export const EXIT_DONE = 0;
/** The manager cannot do this, or there is none. */
export const EXIT_UNSUPPORTED = 3;

const EXIT_FAILED = 1;
const EXIT_PERMISSION = 4;
/** `status`: the gateway is stopped or parked. */
export const EXIT_STATUS_DOWN = 3;
/** `status`: what the gateway does is not known, or it is not registered. */
export const EXIT_STATUS_UNKNOWN = 4;

/** An error as people and programs read it. */
export interface ErrorReport {
  /** A stable name: `gateway-not-registered`. */
  readonly code: string;
  /** What could not be done, to what, and why. */
  readonly message: string;
  /** What to do next; empty when there is nothing to say. */
  readonly hint: string;
  readonly exitCode: number;
}

/** What to say about anything that was thrown. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof GatewardenError) {
    return { code: error.code, message: error.message, hint: error.hint, exitCode: error.exitCode };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (isPermission(error)) {
    return {
      code: "permission",
      message: `Cannot go on: ${message}`,
      hint: error.name === "NotCapable" ? "The permissions each verb needs are in docs/permissions.md." : "",
      exitCode: EXIT_PERMISSION,
    };
  }
  return {
    code: "internal",
    message: `Cannot go on: ${message}`,
    hint: "To see where it happened, set GATEWARDEN_DEBUG=1.",
    exitCode: EXIT_FAILED,
  };
}

/** Refused by the system (EACCES, EPERM) or by Deno (NotCapable). */
function isPermission(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return error.name === "NotCapable" || code === "EACCES" || code === "EPERM";
}

const EXIT_OF_STATE: Readonly<Record<State, number>> = {
  running: EXIT_DONE,
  starting: EXIT_DONE,
  stopping: EXIT_DONE,
  backoff: EXIT_STATUS_DOWN,
  stopped: EXIT_STATUS_DOWN,
  parked: EXIT_STATUS_DOWN,
  failed: EXIT_STATUS_DOWN,
  unregistered: EXIT_STATUS_UNKNOWN,
  unknown: EXIT_STATUS_UNKNOWN,
};

/** The exit code of `status` for the gateways that were named: the highest of theirs. */
export function exitCodeOfStatus(statuses: readonly Status[]): number {
  return Math.max(EXIT_DONE, ...statuses.map(({ state }) => EXIT_OF_STATE[state]));
}

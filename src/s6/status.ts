/**
 * What s6 reports -> Status.
 * https://skarnet.org/software/s6/s6-svstat.html
 */
import { constants } from "node:os";
import { type ExitPolicy, exitRule } from "../gateway/exit_policy.ts";
import type { Desired, State, Status } from "../manager.ts";

/** What an s6-supervise says of its service. */
export interface S6Record {
  /** Whether the process runs; the finish script does not count. */
  readonly up: boolean;
  /** Whether s6-supervise starts it again when it ends. */
  readonly wantUp: boolean;
  /** Whether the process has said that it is ready (notification-fd). False while it is down. */
  readonly ready: boolean;
  /** Whether `s6-svc -p` has stopped it in its tracks (SIGSTOP). */
  readonly paused: boolean;
  /** Whether the process has ended and its finish script still runs. */
  readonly finishing: boolean;
  /** Whether this s6-supervise has not started it yet. */
  readonly neverStarted: boolean;
  /** The process; null while it is down. */
  readonly pid: number | null;
  /** When it came up or went down; when s6-supervise itself came up, if it has not been started yet. */
  readonly since: Date;
  /** The exit code; null while it is up, when a signal killed it, and when it has not been started yet. */
  readonly exitCode: number | null;
  /** The signal that killed it: `SIGKILL`; null else. */
  readonly signal: string | null;
}

/**
 * Which flags a record holds. Those up to 2.10 have a flag more, which moves "wanted up" and "ready", and the size
 * does not tell: the same 35 bytes mean "running" since 2.11 and "stopping" before.
 */
export type RecordLayout = "2.10" | "2.11";

/**
 * Where the wait status is, by the size of a record; the flags follow it. 2.13 has the process group before it. The
 * size is 35 bytes in 2.10.0.2, 2.11.3.2 and 2.15.1.0, and 43 in 2.13.1.0.
 */
const WAIT_STATUS_AT: Readonly<Record<number, number>> = { 35: 32, 43: 40 };

/** Flag bits by layout, and those that have not moved. */
const FLAGS: Readonly<Record<RecordLayout, { readonly wantUp: number; readonly ready: number }>> = {
  "2.10": { wantUp: 8, ready: 16 },
  "2.11": { wantUp: 4, ready: 8 },
};
const PAUSED = 1;
const FINISHING = 2;

/**
 * Decodes `supervise/status`.
 *
 * @param bytes The whole file.
 * @param layout That of the s6 which wrote it. There is no program `s6-svlink` before 2.11.
 * @returns Undefined when it is no record of a known size: ask s6-svstat then.
 */
export function parseStatusRecord(bytes: Uint8Array, layout: RecordLayout): S6Record | undefined {
  const at = WAIT_STATUS_AT[bytes.length];
  if (at === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const since = dateOfTai64n(view.getBigUint64(0), view.getUint32(8));
  if (since === undefined) return undefined;

  // The pid is that of the finish script while that runs.
  const pid = Number(view.getBigUint64(24));
  const waitStatus = view.getUint16(at);
  const flags = view.getUint8(at + 2);
  const finishing = (flags & FINISHING) !== 0;
  const up = pid !== 0 && !finishing;
  // Both times are that of s6-supervise's own start until a process of it has ended. (2.15 also says so with the
  // flag for "paused", 2.11 does not.)
  const neverStarted = pid === 0 && waitStatus === 0 &&
    sameTime(bytes.subarray(0, 12), bytes.subarray(12, 24));
  const signalNumber = waitStatus & 0x7f;
  const ended = !up && !neverStarted;
  return {
    up,
    wantUp: (flags & FLAGS[layout].wantUp) !== 0,
    ready: up && (flags & FLAGS[layout].ready) !== 0,
    paused: up && (flags & PAUSED) !== 0,
    finishing,
    neverStarted,
    pid: up ? pid : null,
    since,
    exitCode: ended && signalNumber === 0 ? waitStatus >> 8 : null,
    signal: ended && signalNumber !== 0 ? signalName(signalNumber) : null,
  };
}

/** What to ask s6-svstat for, with `-o`: fields that it has in every version, none of which depends on the language. */
export const SVSTAT_FIELDS: readonly string[] = [
  "up",
  "wantedup",
  "ready",
  "paused",
  "pid",
  "exitcode",
  "signum",
  "updownsince",
  "readysince",
];

/**
 * Reads the answer of `s6-svstat -o` to {@link SVSTAT_FIELDS}.
 *
 * @param text What it printed.
 * @returns Undefined when it is not such an answer.
 */
export function parseSvstat(text: string): S6Record | undefined {
  const match =
    /^(true|false) (true|false) (true|false) (true|false) (-1|\d+) (-1|\d+) (-1|\d+) @([0-9a-f]{24}) @([0-9a-f]{24})\n?$/
      .exec(text);
  if (match === null) return undefined;
  const [, up, wantUp, ready, paused, pid, exitCode, signalNumber, changed = "", readied = ""] = match;
  const since = dateOfTai64n(BigInt(`0x${changed.slice(0, 16)}`), parseInt(changed.slice(16), 16));
  if (since === undefined) return undefined;
  const down = up === "false";
  // Never started is exit code 0 for s6-svstat before 2.13.2, -1 since.
  const neverStarted = down && signalNumber === "-1" && (exitCode === "-1" || exitCode === "0") &&
    changed === readied;
  return {
    up: !down,
    wantUp: wantUp === "true",
    ready: ready === "true",
    paused: paused === "true",
    // No field says so; but what is down counts as ready to be started from the end of its finish script on.
    finishing: down && readied < changed,
    neverStarted,
    pid: down ? null : Number(pid),
    since,
    exitCode: down && !neverStarted && exitCode !== "-1" ? Number(exitCode) : null,
    signal: down && signalNumber !== "-1" ? signalName(Number(signalNumber)) : null,
  };
}

/** What a status is made of. */
export interface StatusFacts {
  readonly profile: string;
  readonly service: string;
  readonly scope: Status["scope"];
  /** What an exit code means. */
  readonly exitPolicy: ExitPolicy;
  /** Whether there is a slot. */
  readonly registered: boolean;
  /** Whether an s6-supervise runs on it. */
  readonly supervised: boolean;
  /** What the s6-supervise says; undefined when it cannot be read. */
  readonly record?: S6Record | undefined;
  /** Whether the slot has no `down` file. */
  readonly normallyUp: boolean;
  readonly desired: Desired | null;
  readonly log: string | null;
  readonly now: Date;
}

/** The status of one service. */
export function statusOf(facts: StatusFacts): Status {
  // What a supervisor that is gone has left behind says nothing about now.
  const record = facts.registered && facts.supervised ? facts.record : undefined;
  const state = stateOf(facts, record);
  const exitCode = record?.exitCode ?? null;
  return {
    manager: "s6",
    scope: facts.scope,
    profile: facts.profile,
    service: facts.service,
    state,
    pid: record?.pid ?? null,
    since: record?.since.toISOString() ?? null,
    uptimeSeconds: record?.up === true ? secondsBetween(record.since, facts.now) : null,
    desired: facts.desired,
    enabled: facts.registered ? facts.normallyUp : null,
    wantUp: record?.wantUp ?? null,
    ready: record?.ready ?? null,
    exitCode,
    signal: record?.signal ?? null,
    restarts: null,
    parkedReason: state === "parked" && exitCode !== null
      ? `exit code ${exitCode}: ${exitRule(facts.exitPolicy, exitCode).meaning}`
      : null,
    log: facts.log,
    supervised: facts.registered && facts.supervised,
  };
}

function stateOf(facts: StatusFacts, record: S6Record | undefined): State {
  if (!facts.registered) return "unregistered";
  if (!facts.supervised) return "stopped";
  if (record === undefined) return "unknown";
  // A paused process is running: it is there, holds what it holds, and start and stop find it so. s6 cannot tell
  // one that is asked to end (s6-svc -d) from one that only is not to be started again (s6-svc -o, -O): both are up
  // and not wanted up. Gatewarden never asks for the latter.
  if (record.up) return record.wantUp ? "running" : "stopping";
  if (record.wantUp) return record.neverStarted ? "starting" : "backoff";
  if (record.finishing) return "stopping";
  return isParked(facts, record) ? "parked" : "stopped";
}

/** Whether the exit policy is why it is down. An operator's stop may end with the same code, so intent counts too. */
function isParked({ exitPolicy, normallyUp, desired }: StatusFacts, { exitCode }: S6Record): boolean {
  return exitCode !== null && exitRule(exitPolicy, exitCode).action === "park" && normallyUp &&
    desired !== "stopped";
}

/** Whole seconds; none when the clock was set back. */
function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000));
}

/** The seconds of TAI64 at 1970-01-01 00:00:00 TAI: https://cr.yp.to/libtai/tai64.html */
const TAI64_EPOCH = 2n ** 62n;
/** TAI minus UTC, in seconds, since 2017: https://www.ietf.org/timezones/data/leap-seconds.list */
const TAI_MINUS_UTC = 37;

/** A moment from a TAI64N label; undefined when it is none that a Date can hold. */
export function dateOfTai64n(seconds: bigint, nanoseconds: number): Date | undefined {
  const utcSeconds = Number(seconds - TAI64_EPOCH) - TAI_MINUS_UTC;
  const date = new Date(utcSeconds * 1000 + Math.floor(nanoseconds / 1e6));
  return utcSeconds < 0 || Number.isNaN(date.getTime()) ? undefined : date;
}

function sameTime(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, index) => byte === b[index]);
}

/** `SIGKILL` for 9; `signal 34` for one without a name of its own. */
function signalName(number: number): string {
  const named = Object.entries(constants.signals).find(([, value]) => value === number);
  return named?.[0] ?? `signal ${number}`;
}

/** The pieces that the plans on a scandir are made of, and what they depend on. */
import { posix } from "node:path";
import { type GatewayDefinition, stopBudgetMs } from "../gateway/definition.ts";
import {
  type Desired,
  desiredStateFile,
  GATEWAY_STATE_FILE,
  gatewayStateFields,
  plannedStopMarker,
} from "../gateway/desired_state.ts";
import type { Action, Failure, Step, UndoStep, VerbOptions } from "../manager.ts";

/** A program of s6 that a plan runs. */
export type S6Program = "s6-svc" | "s6-svscanctl" | "s6-svstat" | "s6-svwait";

/** What a plan on a scandir depends on, besides the definition. */
export interface S6Context {
  readonly definition: GatewayDefinition;
  readonly profile: string;
  readonly service: string;
  readonly scandir: string;
  /** Where each program is. */
  readonly programs: Readonly<Record<S6Program, string>>;
  /** The group that gets access to the slot; undefined when the slot is the service user's own. */
  readonly group: number | undefined;
  /** The profile's folder on the volume; undefined when there is none. */
  readonly profileFolder: string | undefined;
  /** Whether Hermes, or an older install, keeps a file of its own there that says what is desired. */
  readonly gatewayState: boolean;
  /** Temporary folders are named after it; it tells whether their maker still lives. */
  readonly owner: string;
  /** When the verb was given. */
  readonly now: Date;
  /** The process id of the caller. */
  readonly callerPid: number;
}

/** The gateway's process, when it runs. */
export interface RunningProcess {
  readonly pid: number;
  /** When it started, in clock ticks since boot: field 22 of /proc/PID/stat. */
  readonly startTime: number;
}

/** What was found of a slot. */
export interface SlotFacts {
  /** Whether there is a logger in `log/`. */
  readonly log: boolean;
  /** Whether an s6-supervise runs on it, and can be waited for. */
  readonly supervised: boolean;
  /** Whether it has a `down` file: the gateway stays down when its supervisor starts. */
  readonly down: boolean;
  /** Whether the slot is the caller's own. By group access alone a gateway can be started and stopped, and no more. */
  readonly own: boolean;
  readonly process: RunningProcess | undefined;
}

/** The name of the file by which a slot says that its registration is not through. In `data/`, which s6 leaves alone. */
export const REGISTERING = "data/registering";

const PROGRAM_LIMIT_MS = 5_000;
const SUPERVISE_LIMIT_MS = 5_000;
const FINISH_LIMIT_MS = 5_000;
const MARGIN_MS = 5_000;
const START_LIMIT_MS = 10_000;
/** How long a logger may take to read the gateway's last words. */
const LAST_WORDS_MS = 1_000;
/** How long a gateway must stay up to count as started. */
const SETTLE_MS = 500;

/** How long a stop may take when no limit is given: the stop budget, then `finish`, then a margin. */
export function stopLimitMs(definition: GatewayDefinition): number {
  return stopBudgetMs(definition.stop) + FINISH_LIMIT_MS + MARGIN_MS;
}

/** The path of a profile's slot. */
export function slotPath({ scandir, service }: S6Context): string {
  return posix.join(scandir, service);
}

/**
 * Lets s6-svscan see a slot that is in place, and waits until it is supervised. Its registration is through with the
 * last step, and not before: a run that was killed can be run again.
 */
export function publish(context: S6Context, log: boolean, startNow: boolean): Step[] {
  const slot = slotPath(context);
  return [
    rescan(context),
    ...[slot, ...(log ? [`${slot}/log`] : [])].map((directory): Step => ({
      do: "wait",
      until: { kind: "supervised", directory },
      timeoutMs: SUPERVISE_LIMIT_MS,
    })),
    ...(startNow ? recordDesired(context, "running", "register") : []),
    { do: "remove", path: `${slot}/${REGISTERING}` },
  ];
}

function rescan({ programs, scandir }: S6Context): Action & { do: "run" } {
  return {
    do: "run",
    argv: [programs["s6-svscanctl"], "-a", scandir],
    timeoutMs: PROGRAM_LIMIT_MS,
    failures: { 100: notWatched(scandir), 111: notWatched(scandir) },
  };
}

function notWatched(scandir: string): Failure {
  return {
    is: "command",
    hint: `Is an s6-svscan running on ${scandir}? Start one with: s6-svscan ${scandir}`,
  };
}

/**
 * Ends what supervises a folder that was renamed out of s6-svscan's sight, the gateway first and the logger when it has
 * read the gateway's last words, and deletes the folder. The rescan comes first: until it is done, s6-svscan would
 * replace a supervisor that ends. `s6-svscanctl -an` would end every service that was absent at the last scan.
 */
export function dismantle(context: S6Context, directory: string, log: boolean): UndoStep[] {
  const limit = stopLimitMs(context.definition);
  return [
    { ...rescan(context), bestEffort: true },
    ...endSupervisor(context, directory, limit),
    ...(log
      ? [
        letRead(context, `${directory}/log`),
        ...endSupervisor(context, `${directory}/log`, SUPERVISE_LIMIT_MS),
      ]
      : []),
    { do: "remove", path: directory },
  ];
}

/**
 * Asks a logger to end once it has read all. It would wait for ever where s6-svscan has learned that the slot is gone
 * only after the gateway's supervisor had ended: it then holds the logger's input open. So it is not asked for long.
 */
function letRead({ programs }: S6Context, directory: string): UndoStep {
  return {
    do: "run",
    argv: [programs["s6-svc"], "-wD", "-T", String(LAST_WORDS_MS), "-x", directory],
    timeoutMs: LAST_WORDS_MS + PROGRAM_LIMIT_MS,
    okCodes: [0, 1, 99, 100, 102, 111],
    bestEffort: true,
  };
}

function endSupervisor({ programs }: S6Context, directory: string, timeoutMs: number): UndoStep[] {
  return [
    // Nobody may supervise it any more, or yet: what counts is what is waited for next.
    {
      do: "run",
      argv: [programs["s6-svc"], "-dx", directory],
      timeoutMs: PROGRAM_LIMIT_MS,
      okCodes: [0, 1, 100, 102, 111],
      bestEffort: true,
    },
    { do: "wait", until: { kind: "unsupervised", directory }, timeoutMs },
  ];
}

/** Asks for the gateway, waits until it is up, and sees that it stays up for a moment. */
export function bringUp(context: S6Context, slot: SlotFacts, options: VerbOptions): Step[] {
  const directory = slotPath(context);
  const path = `${directory}/down`;
  const allowUp: Step = { do: "remove", path, undo: [{ do: "write", path, mode: 0o644, text: "" }] };
  const settle: Step = {
    do: "run",
    // Until its finish script has ended too: that decides whether it is parked.
    argv: [context.programs["s6-svwait"], "-D", "-t", String(SETTLE_MS), directory],
    timeoutMs: SETTLE_MS + PROGRAM_LIMIT_MS,
    okCodes: [99],
    failures: { 0: { is: "gateway", why: "it came up and went down again at once" } },
  };
  return [
    ...(slot.own && slot.down ? [allowUp] : []),
    ...control(context, "up", slot, options),
    ...(slot.own && options.wait !== false ? [settle] : []),
  ];
}

/** Asks the gateway to end, and waits until it and its `finish` have. */
export function takeDown(context: S6Context, slot: SlotFacts, options: VerbOptions): Step[] {
  return control(context, "down", slot, options);
}

/**
 * One command for the supervisor. s6-svc waits for it itself, where the caller may listen to the slot's events: to let
 * a group do that would let it make a root s6-supervise write through links (see skeleton.ts). Nor does it where no
 * s6-supervise runs: it would believe what the last one has said.
 */
function control(
  context: S6Context,
  to: "up" | "down",
  { own, supervised }: SlotFacts,
  options: VerbOptions,
): Step[] {
  const { programs } = context;
  const mayListen = own && supervised;
  const { wait = true, timeoutMs } = options;
  const slot = slotPath(context);
  // s6-svc takes whole milliseconds, and 0 for no limit at all.
  const limitMs = Math.max(
    1,
    Math.ceil(timeoutMs ?? (to === "up" ? START_LIMIT_MS : stopLimitMs(context.definition))),
  );
  const waiting = wait && mayListen ? [to === "up" ? "-wu" : "-wD", "-T", String(limitMs)] : [];
  const unsupervised: Failure = {
    is: "command",
    hint: `No s6-supervise runs on ${slot}. Is an s6-svscan running on ${context.scandir}? ` +
      `It looks again on: s6-svscanctl -a ${context.scandir}`,
  };
  const stillThere = to === "up" ? "the gateway is not up" : "the gateway still runs";
  const command: Step = {
    do: "run",
    argv: [programs["s6-svc"], ...waiting, to === "up" ? "-u" : "-d", slot],
    timeoutMs: (waiting.length > 0 ? limitMs : 0) + PROGRAM_LIMIT_MS,
    failures: { 99: { is: "timeout", limitMs, stillThere }, 100: unsupervised, 102: unsupervised },
  };
  if (!wait || mayListen) return [command];
  const until = { kind: to, directory: slot, svstat: programs["s6-svstat"] };
  return [command, { do: "wait", until, timeoutMs: limitMs }];
}

/** By this marker the gateway knows the operator's stop from that of a container. */
export function markPlannedStop(context: S6Context, { process }: SlotFacts): Step[] {
  const { profileFolder, definition, now, callerPid } = context;
  if (profileFolder === undefined || process === undefined) return [];
  const { name, text } = plannedStopMarker(process, callerPid, now);
  return [{
    do: "replace",
    path: posix.join(profileFolder, name),
    text,
    as: definition.user,
    bestEffort: true,
  }];
}

/** Records what is desired: in Gatewarden's own file, and where Hermes keeps it, if it does. */
export function recordDesired(
  { profileFolder, gatewayState, definition, now }: S6Context,
  desired: Desired,
  by: string,
): Step[] {
  if (profileFolder === undefined) return [];
  const { name, text } = desiredStateFile(desired, by, now);
  const path = (file: string): string => posix.join(profileFolder, file);
  const as = definition.user;
  const ours: Step = { do: "replace", path: path(name), text, as, bestEffort: true };
  const theirs: Step = {
    do: "update",
    path: path(GATEWAY_STATE_FILE),
    fields: gatewayStateFields(desired),
    as,
    bestEffort: true,
  };
  return gatewayState ? [ours, theirs] : [ours];
}

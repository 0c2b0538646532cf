/** A plan -> effects, with undo. */
import { renameSync } from "node:fs";
import {
  FileError,
  GatewardenError,
  GatewayFailedError,
  PermissionError,
  ProgramNotFoundError,
  S6CommandError,
  TimeoutError,
} from "../errors.ts";
import type { Action, Condition, Outcome, Plan, Step } from "../manager.ts";
import { findProgram } from "./facts.ts";
import {
  hasReader,
  isErrno,
  lstatIfThere,
  makeFolder,
  removeTree,
  setGroupAndMode,
  writeNewFile,
} from "./files.ts";
import { run } from "./run.ts";
import { replaceFile, updateFile } from "./state_file.ts";

/** What errors are told about: `start`, `gateway-coder`. */
type Subject = Pick<Plan, "verb" | "service">;

/**
 * Carries a plan out. When a step fails, what was done is undone, last first, and the step's error is thrown; what
 * could not be undone is said in its hint.
 *
 * @param plan The steps.
 * @param onStep Called before each step, those that take others back included.
 * @returns The failures of best-effort steps, as warnings.
 */
export async function execute(plan: Plan, onStep?: (step: Step) => void): Promise<Outcome> {
  const warnings: string[] = [];
  const done: Step[] = [];
  for (const leftover of plan.leftovers ?? []) {
    try {
      warnings.push(...(await execute(leftover, onStep)).warnings);
    } catch (error) {
      warnings.push(messageOf(error));
    }
  }
  for (const step of plan.steps) {
    onStep?.(step);
    try {
      await perform(step, plan);
      done.push(step);
    } catch (error) {
      if (!step.bestEffort) throw withLeftover(error, await undo(done, plan, onStep));
      warnings.push(messageOf(error));
    }
  }
  return { warnings };
}

/**
 * Takes steps back, last first. Gives why that could not go on: then what was done earlier stays, because what came
 * later may still be using it. A folder is not removed under a supervisor that could not be ended.
 */
async function undo(
  done: readonly Step[],
  subject: Subject,
  onStep?: (step: Step) => void,
): Promise<string | undefined> {
  for (const action of done.toReversed().flatMap((step) => step.undo ?? [])) {
    onStep?.(action);
    try {
      await perform(action, subject);
    } catch (error) {
      if (!action.bestEffort) return messageOf(error);
    }
  }
  return undefined;
}

/** Does one action; resolves when it is done. */
export async function perform(action: Action, subject: Subject): Promise<void> {
  switch (action.do) {
    case "run":
      return await runProgram(action, subject);
    case "wait":
      return await waitUntil(action.until, action.timeoutMs, subject);
    case "fifo":
      return await makeFifo(action, subject);
    case "replace":
      return await replaceFile(action, subject);
    case "update":
      return await updateFile(action, subject);
    default:
      return changeFiles(action, subject);
  }
}

async function runProgram(action: Action & { do: "run" }, { verb, service }: Subject): Promise<void> {
  const { argv, timeoutMs, okCodes = [0], failures = {} } = action;
  const result = await run(argv, { timeoutMs });
  if (result.timedOut) {
    throw new TimeoutError({
      what: `${verb} ${service}`,
      limitMs: timeoutMs,
      stillThere: `${argv.join(" ")} did not end and was killed`,
    });
  }
  if (okCodes.includes(result.exitCode)) return;
  const failure = failures[result.exitCode];
  if (failure?.is === "timeout") {
    throw new TimeoutError({
      what: `${verb} ${service}`,
      limitMs: failure.limitMs,
      stillThere: failure.stillThere,
      hint: "Give it more time with --timeout SECONDS.",
    });
  }
  if (failure?.is === "gateway") throw new GatewayFailedError(`Cannot ${verb} ${service}: ${failure.why}.`);
  throw new S6CommandError({
    service,
    action: verb,
    argv,
    exitCode: result.exitCode,
    stderr: result.stderr,
    hint: failure?.hint ?? "",
  });
}

const POLL_MS = 10;

async function waitUntil(until: Condition, limitMs: number, { verb, service }: Subject): Promise<void> {
  const start = Date.now();
  while (!await isSo(until)) {
    if (Date.now() - start >= limitMs) {
      throw new TimeoutError({
        what: `${verb} ${service}`,
        limitMs,
        stillThere: NOT_SO[until.kind](until.directory),
      });
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const NOT_SO: Readonly<Record<Condition["kind"], (directory: string) => string>> = {
  supervised: (directory) => `no s6-supervise took up ${directory}`,
  unsupervised: (directory) => `an s6-supervise still runs on ${directory}`,
  up: () => "the gateway is not up",
  down: () => "the gateway still runs",
};

async function isSo(until: Condition): Promise<boolean> {
  const { kind, directory } = until;
  if (kind === "unsupervised") return hasReader(`${directory}/supervise/control`) === false;
  if (kind === "supervised") {
    // It reads commands a moment before it writes its first record, and until then nobody can wait for its service.
    return hasReader(`${directory}/supervise/control`) === true &&
      lstatIfThere(`${directory}/supervise/status`) !== undefined;
  }
  const fields = "up,updownsince,readysince";
  const { exitCode, stdout } = await run([until.svstat, "-o", fields, directory], { timeoutMs: 5000 });
  const [up = "", changed = "", ready = ""] = stdout.trim().split(" ");
  if (exitCode !== 0 || up !== String(kind === "up")) return false;
  // What is down is "ready" once its finish script has ended. Before that the script may still exit with 125, and so
  // undo a request for up. The stamps are of one length, so they compare as text.
  return kind === "up" || ready >= changed;
}

async function makeFifo({ path, mode, group }: Action & { do: "fifo" }, subject: Subject): Promise<void> {
  const mkfifo = findProgram("mkfifo");
  if (mkfifo === undefined) {
    throw new ProgramNotFoundError("mkfifo", "It comes with coreutils and with busybox.");
  }
  await runProgram({ do: "run", argv: [mkfifo, "-m", "0600", path], timeoutMs: 5000 }, subject);
  changing(subject, () => setGroupAndMode(path, mode, group));
}

function changeFiles(
  action: Action & { do: "mkdir" | "write" | "rename" | "remove" },
  subject: Subject,
): void {
  changing(subject, () => {
    if (action.do === "mkdir") makeFolder(action.path, action.mode, action.group, action.owner);
    if (action.do === "write") writeNewFile(action.path, action.text, action.mode);
    if (action.do === "rename") renameSync(action.from, action.to);
    if (action.do === "remove") removeTree(action.path);
  });
}

/** Turns the system's errors into ours. */
function changing({ verb, service }: Subject, change: () => void): void {
  try {
    change();
  } catch (cause) {
    if (cause instanceof GatewardenError) throw cause;
    const message = `Cannot ${verb} ${service}: ${messageOf(cause)}.`;
    if (isErrno(cause, "EACCES", "EPERM")) {
      throw new PermissionError(message, { cause, hint: "Run it as the user the scandir belongs to." });
    }
    throw new FileError(message, { cause, hint: hintFor(cause) });
  }
}

function hintFor(error: unknown): string {
  if (isErrno(error, "ENOSPC", "EDQUOT")) return "The file system is full: make room, then try again.";
  if (isErrno(error, "EROFS")) {
    return "The file system is mounted read-only: use a scandir on a writable one.";
  }
  return "";
}

function withLeftover(error: unknown, leftover: string | undefined): unknown {
  if (leftover === undefined || !(error instanceof GatewardenError)) return error;
  const note = `What was done could not all be undone: ${leftover}`;
  return Object.assign(error, { hint: [error.hint, note].filter((text) => text !== "").join(" ") });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A plan -> effects, with undo. */
import { renameSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
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
import { hasReader, isErrno, makeFolder, removeTree, setGroupAndMode, writeNewFile } from "./files.ts";
import { run } from "./run.ts";

/** What errors are told about: `start`, `gateway-coder`. */
type Subject = Pick<Plan, "verb" | "service">;

/**
 * Carries a plan out. When a step fails, what was done is undone, last first, and the step's error is thrown; what
 * could not be undone is said in its hint.
 *
 * @param plan The steps.
 * @param onStep Called before each step.
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
      if (!step.bestEffort) throw withLeftovers(error, await undo(done, plan));
      warnings.push(messageOf(error));
    }
  }
  return { warnings };
}

/** Takes steps back, last first. Gives what could not be taken back. */
async function undo(done: readonly Step[], subject: Subject): Promise<string[]> {
  const leftovers: string[] = [];
  for (const step of done.toReversed()) {
    for (const action of step.undo ?? []) {
      try {
        await perform(action, subject);
      } catch (error) {
        if (action.bestEffort) continue;
        leftovers.push(messageOf(error));
        break;
      }
    }
  }
  return leftovers;
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
  if (kind === "supervised" || kind === "unsupervised") {
    return hasReader(`${directory}/supervise/control`) === (kind === "supervised");
  }
  const { exitCode, stdout } = await run([until.svstat, "-o", "up", directory], { timeoutMs: 5000 });
  return exitCode === 0 && stdout.trim() === String(kind === "up");
}

async function makeFifo(
  { path, mode, group }: Action & { do: "fifo" },
  { verb, service }: Subject,
): Promise<void> {
  const mkfifo = findProgram("mkfifo");
  if (mkfifo === undefined) {
    throw new ProgramNotFoundError("mkfifo", "It comes with coreutils and with busybox.");
  }
  await runProgram({ do: "run", argv: [mkfifo, "-m", "0600", path], timeoutMs: 5000 }, { verb, service });
  setGroupAndMode(path, mode, group);
}

// Run as the service user, in the folder itself: whatever the user does to paths meanwhile, only its own rights count.
const REPLACE = `set -e
umask 077
cd -- "$1"
temporary=$(mktemp .gatewarden.XXXXXXXX)
trap 'rm -f -- "$temporary"' EXIT
cat >"$temporary"
sync "$temporary"
mv -fT -- "$temporary" "$2"`;

async function replaceFile({ path, text, as }: Action & { do: "replace" }, { verb }: Subject): Promise<void> {
  const script = ["/bin/sh", "-c", REPLACE, "sh", dirname(path), path.slice(dirname(path).length + 1)];
  const argv = process.getuid?.() === 0 ? [...dropTo(as), ...script] : script;
  const result = await run(argv, { timeoutMs: 5000, input: text });
  if (result.exitCode === 0 && !result.timedOut) return;
  const why = result.timedOut ? "it took more than 5 s" : result.stderr.trim();
  throw new FileError(`Cannot write ${path} as ${as} for this ${verb}: ${why}.`);
}

function dropTo(user: string): string[] {
  const program = findProgram("s6-setuidgid");
  if (program === undefined) throw new ProgramNotFoundError("s6-setuidgid", "It comes with s6.");
  return [program, user];
}

function changeFiles(
  action: Action & { do: "mkdir" | "write" | "rename" | "remove" },
  { verb, service }: Subject,
): void {
  try {
    if (action.do === "mkdir") makeFolder(action.path, action.mode, action.group);
    if (action.do === "write") writeNewFile(action.path, action.text, action.mode);
    if (action.do === "rename") renameSync(action.from, action.to);
    if (action.do === "remove") removeTree(action.path);
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

function withLeftovers(error: unknown, leftovers: readonly string[]): unknown {
  if (leftovers.length === 0 || !(error instanceof GatewardenError)) return error;
  const note = `What was done could not all be undone: ${leftovers.join(" ")}`;
  return Object.assign(error, { hint: [error.hint, note].filter((text) => text !== "").join(" ") });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A supervision tree of one's own, for as long as it is needed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { GatewayFailedError, ProgramNotFoundError, TimeoutError } from "../errors.ts";
import { findProgram } from "./facts.ts";
import { hasReader } from "./files.ts";

/** An s6-svscan that runs. */
export interface PrivateTree {
  readonly pid: number;
  /** Stops it and all it supervises, and waits until they have ended. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 5_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 10;

/**
 * Starts an s6-svscan on a folder, in a session of its own, so that the terminal's Ctrl-C does not reach it.
 *
 * @param scandir An empty folder of the caller's.
 * @throws {ProgramNotFoundError} When s6 is not installed.
 */
export async function startPrivateTree(scandir: string): Promise<PrivateTree> {
  const program = findProgram("s6-svscan");
  if (program === undefined) {
    throw new ProgramNotFoundError("s6-svscan", "Install s6. On Debian and Ubuntu: apt-get install s6");
  }
  // The scripts of slots call s6's programs by name, and /command is not on everybody's PATH.
  const env = { ...process.env, PATH: `${dirname(program)}:${process.env["PATH"] ?? ""}` };
  const child = spawn(program, [scandir], { detached: true, stdio: "ignore", env });
  const ended = once(child, "exit").then(() => "ended" as const);
  const { pid } = child;
  if (pid === undefined) throw new GatewayFailedError(`Cannot start ${program}.`);
  await waitUntilUp(child, join(scandir, ".s6-svscan/control"), program);
  return {
    pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      const timer = new AbortController();
      const late = delay(STOP_LIMIT_MS, "late" as const, { signal: timer.signal }).catch(() =>
        "late" as const
      );
      const first = await Promise.race([ended, late]);
      timer.abort();
      if (first === "late") {
        throw new TimeoutError({
          what: `stop the s6-svscan on ${scandir}`,
          limitMs: STOP_LIMIT_MS,
          stillThere: `process ${pid} still runs`,
        });
      }
    },
  };
}

async function waitUntilUp(child: ChildProcess, control: string, program: string): Promise<void> {
  const start = Date.now();
  while (hasReader(control) !== true) {
    if (child.exitCode !== null) {
      throw new GatewayFailedError(`Cannot start ${program}: it exited with ${child.exitCode}.`);
    }
    if (Date.now() - start >= START_LIMIT_MS) {
      child.kill("SIGKILL");
      throw new TimeoutError({
        what: `start ${program}`,
        limitMs: START_LIMIT_MS,
        stillThere: `nothing reads ${control}`,
      });
    }
    await delay(POLL_MS);
  }
}

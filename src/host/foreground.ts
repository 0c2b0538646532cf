/** Programs that take this process's place, as far as a program can that cannot exec. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";
import { FileError, PermissionError } from "../errors.ts";
import { dropTo } from "./facts.ts";
import { isErrno, lstatIfThere } from "./files.ts";
import { run } from "./run.ts";

/** What asks a program to end; the terminal's way included, which a session of its own is spared. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** How a program is run in this process's place. */
export interface ForegroundOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** What it is sent for any signal that asks to end; by default the same one. */
  readonly endWith?: NodeJS.Signals;
}

/**
 * Runs a program on this process's standard streams and passes on the signals that ask it to end.
 *
 * It gets a session of its own: the terminal would else send it a second signal, and another user's program could
 * type into the terminal of root (TIOCSTI).
 *
 * @returns Its exit code; 128 + N when signal N killed it.
 */
export async function runInForeground(
  argv: readonly string[],
  { env = process.env, endWith }: ForegroundOptions = {},
): Promise<number> {
  const [program = "", ...rest] = argv;
  const child = spawn(program, rest, { stdio: "inherit", env, detached: true });
  const forward = (signal: NodeJS.Signals): void => {
    // Not child.kill: after that, Deno takes this signal for what ended the child, whatever did.
    try {
      if (child.pid !== undefined) process.kill(child.pid, endWith ?? signal);
    } catch (error) {
      if (!isErrno(error, "ESRCH")) throw error;
    }
  };
  for (const signal of ENDING) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once(
        "error",
        (cause) => reject(new FileError(`Cannot run ${program}: ${cause.message}.`, { cause })),
      );
      child.once(
        "exit",
        (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    for (const signal of ENDING) process.off(signal, forward);
  }
}

/** The variable by which a program that was run again as another user knows it. */
const RAN_AS = "GATEWARDEN_RAN_AS";

/**
 * Runs this very command line again as another user, when root calls.
 *
 * @param home What HOME is there: root's is closed to the user, and the runtime may keep files there.
 * @returns The exit code.
 * @throws {PermissionError} When this cannot be, because the user may not read the program, for example.
 * @throws {ProgramNotFoundError} When there is nothing to become the user with.
 */
export async function runAgainAs(user: string, home: string): Promise<number> {
  const hint = `Run the same command as ${user}: s6-setuidgid ${user} gatewarden ...`;
  if (process.env[RAN_AS] !== undefined) {
    // Once more would be once more for ever.
    throw new PermissionError(`Cannot go on as ${user}: what should become ${user} is still root.`, {
      hint: "Look at the s6-setuidgid that is first in /command or on PATH.",
    });
  }
  const drop = dropTo(user);
  const args = ownArguments(user, hint);
  await assertUsable(user, drop);
  const env = { ...process.env, HOME: home, [RAN_AS]: user };
  return await runInForeground([...drop, process.execPath, ...args], { env });
}

/** Refuses to go on as a user who may not run what this process runs: the runtime would say so at length. */
async function assertUsable(user: string, drop: readonly string[]): Promise<void> {
  const main = process.argv[1];
  const needed = ["-x", process.execPath];
  if (main !== undefined && lstatIfThere(main) !== undefined) needed.push("-r", main);
  const script = 'while [ $# -gt 0 ]; do [ "$1" "$2" ] || { echo "$2"; exit 1; }; shift 2; done';
  const { exitCode, stdout, stderr } = await run([...drop, "/bin/sh", "-c", script, "sh", ...needed], {
    timeoutMs: 5000,
  });
  if (exitCode === 0) return;
  const why = stdout === "" ? stderr.trim() : `${user} has no access to ${stdout.trim()}`;
  throw new PermissionError(`Cannot go on as ${user}: ${why}.`, {
    hint: "Install Gatewarden and its runtime where everybody may use them.",
  });
}

/** As it was started, flags of the runtime included: neither runtime gives all of these to a program. */
function ownArguments(user: string, hint: string): string[] {
  try {
    return readFileSync("/proc/self/cmdline", "utf8").replace(/\0$/, "").split("\0").slice(1);
  } catch (cause) {
    throw new PermissionError(`Cannot go on as ${user}: the command line in /proc cannot be read.`, {
      hint: `Under Deno it takes --allow-all. ${hint}`,
      cause,
    });
  }
}

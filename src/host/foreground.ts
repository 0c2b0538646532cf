/** Programs that take this process's place, as far as a program can that cannot exec. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import process from "node:process";
import { FileError } from "../errors.ts";
import { dropTo } from "./facts.ts";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Runs a program on this process's terminal and passes signals on to it.
 *
 * @returns Its exit code; 128 + N when signal N killed it.
 */
export async function runInForeground(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const [program = "", ...rest] = argv;
  const child = spawn(program, rest, { stdio: "inherit", env });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
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
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}

/**
 * Runs this very command line again as another user, when root calls.
 *
 * @param home What HOME is there: root's is closed to the user, and the runtime may keep files there.
 * @returns The exit code.
 * @throws {ProgramNotFoundError} When there is nothing to become the user with.
 */
export async function runAgainAs(user: string, home: string): Promise<number> {
  // As it was started, flags of the runtime included: neither runtime gives all of these to a program.
  const [, ...args] = readFileSync("/proc/self/cmdline", "utf8").replace(/\0$/, "").split("\0");
  return await runInForeground([...dropTo(user), process.execPath, ...args], { ...process.env, HOME: home });
}

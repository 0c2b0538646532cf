/** Processes, through dax. The only file that imports it, and only when a process is to be run: it takes 40 ms. */
import { FileError, ProgramNotFoundError } from "../errors.ts";

/** How a process is run. */
export interface RunOptions {
  /** It is killed after this many milliseconds. */
  readonly timeoutMs: number;
  /** What it reads; by default nothing. A program that does not read all of it counts as failed, with 1. */
  readonly input?: string;
}

/** How a process ended. */
export interface RunResult {
  /** Its exit code. dax gives 0 for a process that a signal killed: a plan verifies what a program says it did. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it was killed because its time was up; the exit code means nothing then. */
  readonly timedOut: boolean;
}

/**
 * Runs a program, by its absolute path, and waits for it. One element of `argv` is one argument.
 *
 * @throws {ProgramNotFoundError} When there is no such program.
 * @throws {FileError} When it is there but cannot be run.
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const [program = ""] = argv;
  const { default: $ } = await import("dax");
  // The caller's folder may be closed to the user it runs as, and no program could be run from there.
  const command = $`${[...argv]}`.cwd("/").noThrow().stdout("piped").stderr("piped");
  const child = (options.input === undefined ? command.stdin("null") : command.stdinText(options.input))
    .spawn();
  const stdout = collect(child.stdout());
  const stderr = collect(child.stderr());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeUp = new Promise<"time up">((resolve) => {
    // SIGKILL at once: what is run here answers within milliseconds or has a limit of its own.
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve("time up");
    }, options.timeoutMs);
  });
  try {
    const ended = await Promise.race([child.catch((cause) => cannotRun(program, cause)), timeUp]);
    if (ended === "time up") {
      // A child of the killed program may hold the pipes; nobody waits for that.
      return { exitCode: 137, stdout: stdout.text(), stderr: stderr.text(), timedOut: true };
    }
    await Promise.all([stdout.done, stderr.done]);
    // The words of dax; a shell that misses a program of its own says it in others.
    if (ended.code === 127 && stderr.text() === `dax: ${program}: command not found\n`) {
      throw new ProgramNotFoundError(program, "");
    }
    // dax says so, and gives 1 for the exit code, when a program ends before it has read its input.
    const said = stderr.text().replace(/^stdin pipe broken\. .*\n/m, "");
    return { exitCode: ended.code, stdout: stdout.text(), stderr: said, timedOut: false };
  } finally {
    clearTimeout(timer);
  }
}

function cannotRun(program: string, cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new FileError(`Cannot run ${program}: ${why}.`, { cause });
}

function collect(
  stream: AsyncIterable<Uint8Array>,
): { readonly text: () => string; readonly done: Promise<void> } {
  let text = "";
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
    }
  };
  return { text: () => text, done: read().catch(() => {}) };
}

/** The near end of driver.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { ServiceManager } from "../../../src/manager.ts";
import type { Answer, DriverOptions, Method } from "../driver.ts";
import { asUser } from "./user.ts";

/** A process that calls the library. */
export interface Driver {
  readonly pid: number;
  /** The steps begun by the last call, by what they do. */
  readonly steps: readonly string[];
  /** Calls a method of its manager. Throws what that throws: `name`, `code`, `message`, `hint`, `exitCode`. */
  call<M extends Method>(
    method: M,
    ...parameters: Parameters<ServiceManager[M]>
  ): Promise<Awaited<ReturnType<ServiceManager[M]>>>;
  /** The signal that ended it, once it has ended; null when it ended by itself. */
  ended(): Promise<string | null>;
  /** Lets it end, and waits for that. */
  close(): Promise<void>;
}

/** Where and how a driver runs. */
export interface DriverProcess {
  /** The command that runs it, without its argument. */
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a driver as the user of the tests. */
export function startDriver({ command, folder, env }: DriverProcess, options: DriverOptions): Driver {
  const [program, ...parameters] = asUser([...command, JSON.stringify(options)]);
  const child = spawn(program, parameters, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
  const exit = once(child, "exit");
  const complaints = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // Its end is noticed where its answers are read.
  child.stdin.on("error", () => {});
  let steps: readonly string[] = [];
  return {
    pid: child.pid ?? -1,
    get steps() {
      return steps;
    },
    call: async (method, ...parameters) => {
      child.stdin.write(`${JSON.stringify({ method, parameters })}\n`);
      const line = await lines.next();
      if (line.done) throw new Error(`the driver ended: ${JSON.stringify(await exit)} ${await complaints}`);
      const answer: Answer = JSON.parse(line.value);
      steps = answer.steps;
      if (answer.error === undefined) return answer.value as never;
      throw Object.assign(new Error(answer.error.message), answer.error);
    },
    ended: async () => (await exit)[1],
    close: async () => {
      child.stdin.end();
      await exit;
    },
  };
}

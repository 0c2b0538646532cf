/**
 * A caller of the library in a process of its own: as another user, under another runtime, with another PATH, or
 * to be killed. Reads calls from standard input, a JSON document a line, and answers each with a line.
 *
 *     driver.ts '{"settings": {"scandir": "/tmp/x"}, "killBeforeStep": 3}'
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { GatewardenError } from "../../src/errors.ts";
import type { ServiceManager, Step } from "../../src/manager.ts";
import { getServiceManager, type Settings } from "../../src/registry.ts";

/** What can be called: each method of a manager. */
export type Method = Exclude<keyof ServiceManager, "kind">;

/** How a driver is set up: its only argument, as JSON. */
export interface DriverOptions {
  readonly settings: Omit<Settings, "onStep" | "facts">;
  /** It kills itself with SIGKILL right before this step, counted from 1 over all its calls. */
  readonly killBeforeStep?: number;
}

/** One call. */
export interface Call {
  readonly method: Method;
  readonly parameters: readonly unknown[];
}

/** What is said of an error. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly exitCode?: number;
}

/** The answer to a call. `steps` are those begun since the call was made, by what they do. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: ThrownError;
  readonly steps: readonly string[];
}

const options: DriverOptions = JSON.parse(process.argv[2] ?? "");
let steps: string[] = [];
let stepsSoFar = 0;

function onStep(step: Step): void {
  stepsSoFar++;
  if (stepsSoFar === options.killBeforeStep) process.kill(process.pid, "SIGKILL");
  steps.push(step.do);
}

function describeError(error: unknown): ThrownError {
  if (!(error instanceof GatewardenError)) return { name: "unexpected", message: String(error) };
  const { name, message, code, hint, exitCode } = error;
  return { name, message, code, hint, exitCode };
}

async function answer(manager: ServiceManager, { method, parameters }: Call): Promise<Answer> {
  steps = [];
  try {
    return { value: await Reflect.apply(manager[method], manager, parameters) ?? null, steps };
  } catch (error) {
    return { error: describeError(error), steps };
  }
}

const manager = await getServiceManager({ ...options.settings, onStep });
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(manager, JSON.parse(line)))}\n`);
}
// Like the command line: what a program that was given up on still holds does not keep it.
process.exit();

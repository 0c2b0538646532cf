/** The command line: arguments -> exit code. */
import { ExitCode, run, type StricliProcess } from "@stricli/core";
import process from "node:process";
import { UsageError } from "../errors.ts";
import { app } from "./app.ts";
import { arrange, verbOf } from "./arrange.ts";
import type { Host } from "./call.ts";
import { EXIT_DONE } from "./exit_codes.ts";
import { createOutput } from "./output.ts";
import type { Variable } from "./settings.ts";

/** This process. */
const THIS_PROCESS: Host = {
  streams: process,
  environment: readVariable,
  getServiceManager: async (settings) => {
    const { getServiceManager } = await import("../registry.ts");
    return await getServiceManager(settings);
  },
  ownerToBecome: async (settings) => {
    const { ownerToBecome } = await import("../s6/choose_scandir.ts");
    return ownerToBecome(settings);
  },
  runAgainAs: async (user, home) => {
    const { runAgainAs } = await import("../host/foreground.ts");
    return await runAgainAs(user, home);
  },
};

/** A variable that Deno does not let us read is not set. */
function readVariable(name: Variable): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs the command line.
 *
 * @param argv The arguments, without the program.
 * @returns The exit code.
 */
export async function main(argv: readonly string[], host: Host = THIS_PROCESS): Promise<number> {
  const inputs = arrange(argv);
  const output = createOutput(host.streams, { json: inputs.includes("--json"), color: false });
  const complaints: string[] = [];
  let exitCode = EXIT_DONE;
  const parser: StricliProcess = {
    stdout: { write: output.print },
    stderr: { write: (text) => void complaints.push(text.trimEnd()) },
  };
  await run(app, inputs, { process: parser, host, exit: (code) => exitCode = code });
  return complaints.length === 0
    ? exitCode
    : output.fail(errorOf(Number(parser.exitCode), complaints, inputs)).exitCode;
}

/** What the parser had to complain about, as an error. */
function errorOf(code: number, complaints: readonly string[], inputs: readonly string[]): Error {
  const known = code === ExitCode.InvalidArgument;
  if (!known && code !== ExitCode.UnknownCommand) return new Error(complaints.join(" "));
  const call = ["gatewarden", ...(known ? verbOf(inputs) : [])].join(" ");
  const reasons = complaints.join("; ");
  return new UsageError(`Cannot run ${call}: ${reasons}${reasons.endsWith("?") ? "" : "."}`, {
    hint: `See: ${call} --help`,
  });
}

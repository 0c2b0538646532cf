/** Flags -> how a profile is registered: its environment, and whether it starts. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { UsageError } from "../errors.ts";
import type { RegisterOptions } from "../manager.ts";

/** A variable and its value. */
export type Assignment = readonly [name: string, value: string];

/** The flags that say how a profile is registered. */
export interface RegisterFlags {
  readonly env?: readonly Assignment[];
  readonly envFrom?: string;
  readonly down?: boolean;
}

/** The options of a registration. `--env` wins over `--env-from`, and the last of two wins over the first. */
export function registerOptionsOf({ env, envFrom, down }: RegisterFlags): RegisterOptions {
  const startNow = down !== true;
  if (env === undefined && envFrom === undefined) return { startNow };
  const fromFile = envFrom === undefined ? {} : readEnvironmentFile(envFrom);
  return { extraEnv: { ...fromFile, ...Object.fromEntries(env ?? []) }, startNow };
}

/** Reads `NAME=VALUE` as it stands on the command line. */
export function parseAssignment(text: string): Assignment {
  const at = text.indexOf("=");
  if (at < 1) throw new SyntaxError(`--env is NAME=VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Reads a file of `NAME=VALUE` lines; `#` starts a comment, and quotes around a value are taken off. */
function readEnvironmentFile(path: string): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(parseEnv(readFileSync(path, "utf8"))).map(([name, value]) => [
        name,
        value ?? "",
      ]),
    );
  } catch (error) {
    throw new UsageError(
      `Cannot read the environment from ${path}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

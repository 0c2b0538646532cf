/** Flags -> how a profile is registered: its environment, and whether it starts. */
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
export async function registerOptionsOf({ env, envFrom, down }: RegisterFlags): Promise<RegisterOptions> {
  const startNow = down !== true;
  const extraEnv = env === undefined ? {} : { extraEnv: Object.fromEntries(env) };
  if (envFrom === undefined) return { ...extraEnv, startNow };
  const { readEnvironmentFile } = await import("./environment_file.ts");
  return { ...extraEnv, secretEnv: readEnvironmentFile(envFrom), startNow };
}

/** Reads `NAME=VALUE` as it stands on the command line. */
export function parseAssignment(text: string): Assignment {
  const at = text.indexOf("=");
  if (at < 1) throw new SyntaxError(`--env is NAME=VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

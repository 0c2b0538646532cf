/** A file of variables -> the variables. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { UsageError } from "../errors.ts";
import { readPrivateFile } from "../host/checked_file.ts";
import { isShIdentifier } from "../quote/sh.ts";

/** Standard input in the place of a file, as it stands on the command line. */
const STANDARD_INPUT = "-";

/**
 * Reads `NAME=VALUE` lines; `#` starts a comment, and quotes around a value are taken off. No message shows what the file
 * holds, not even a name: a line of a secret that lost its quotes looks like one.
 */
export function readEnvironmentFile(path: string): Record<string, string> {
  const name = path === STANDARD_INPUT ? "standard input" : path;
  const bytes = path === STANDARD_INPUT ? readFileSync(0) : readPrivateFile(path);
  const variables = Object.entries(parseEnv(decode(name, bytes)));
  if (!variables.every(([variable]) => isShIdentifier(variable))) {
    throw new UsageError(`Cannot use ${name}: a line of it does not start with the name of a variable.`, {
      hint: "A line is NAME=VALUE; a value of several lines stands in quotes.",
    });
  }
  return Object.fromEntries(variables.map(([variable, value]) => [variable, value ?? ""]));
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot use ${name}: it is not UTF-8.`, { cause });
  }
}

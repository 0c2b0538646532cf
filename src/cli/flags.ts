/** The flags that several verbs share, as the parser and the help want them. */
import type { FlagParametersForType } from "@stricli/core";
import type { CommonFlags } from "./call.ts";
import type { ActingFlags, EachFlags } from "./each_profile.ts";
import { parseAssignment, type RegisterFlags } from "./register_options.ts";
import { MANAGER_KINDS, type TargetFlags } from "./settings.ts";

/** Of every verb. */
export const COMMON: FlagParametersForType<CommonFlags> = {
  json: flag("Print one JSON document, and errors as JSON"),
  quiet: flag("Print no messages but warnings and errors"),
  noColor: flag("Use no colour (NO_COLOR)"),
};

/** Of every verb that is about a manager. */
export const TARGET: FlagParametersForType<TargetFlags> = {
  manager: {
    kind: "enum",
    values: MANAGER_KINDS,
    brief: "The manager; by default what this machine runs (GATEWARDEN_MANAGER)",
    optional: true,
  },
  scandir: {
    kind: "parsed",
    parse: String,
    placeholder: "DIR",
    brief:
      "s6: the DIR an s6-svscan watches; by default the user's own tree, else /run/service (GATEWARDEN_SCANDIR)",
    optional: true,
  },
  allowUnsafeScandir: flag("s6, as root: use a scandir that others can change; it lets them become root"),
  config: {
    kind: "parsed",
    parse: String,
    placeholder: "FILE",
    brief: "A FILE with a definition; by default the Hermes agent's gateways (GATEWARDEN_CONFIG)",
    optional: true,
  },
};

/** Of every verb that has a plan. */
export const DRY_RUN: BooleanFlag = flag("Print the steps, and do nothing");

/** Of every verb that acts. */
export const ACTING: FlagParametersForType<ActingFlags> = {
  dryRun: DRY_RUN,
  timeout: {
    kind: "parsed",
    parse: parseSeconds,
    placeholder: "SECONDS",
    brief: "Wait at most SECONDS; by default as long as the gateway may take to stop",
    optional: true,
  },
  ...TARGET,
  ...COMMON,
};

/** Of every verb that acts on several profiles and waits. */
export const EACH: FlagParametersForType<EachFlags> = {
  all: flag("All registered gateways"),
  noWait: flag("Do not wait until it is so"),
  ...ACTING,
};

/** Of every verb that renders. */
export const REGISTER: FlagParametersForType<RegisterFlags> = {
  env: {
    kind: "parsed",
    parse: parseAssignment,
    placeholder: "NAME=VALUE",
    brief: "NAME=VALUE, a variable of this profile; may be repeated",
    optional: true,
    variadic: true,
  },
  // Not --env-file: Node 20 takes a flag of that name for its own, wherever it stands, and reads the file itself.
  envFrom: {
    kind: "parsed",
    parse: String,
    placeholder: "FILE",
    brief: "A FILE of NAME=VALUE lines, mode 0600, or - for standard input; --env wins",
    optional: true,
  },
  down: flag("Leave it down until it is started"),
};

/** A flag without a value, as the parser wants it. */
export interface BooleanFlag {
  readonly kind: "boolean";
  readonly brief: string;
  readonly optional: true;
  readonly withNegated: false;
}

/** A flag without a value. */
export function flag(brief: string): BooleanFlag {
  return { kind: "boolean", brief, optional: true, withNegated: false };
}

function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds === 0) throw new SyntaxError(`--timeout is a number of seconds, not ${JSON.stringify(text)}`);
  return seconds;
}

/** Reads a number of lines. */
export function parseLines(text: string): number {
  if (!/^\d+$/.test(text)) throw new SyntaxError(`--lines is a number, not ${JSON.stringify(text)}`);
  return Number(text);
}

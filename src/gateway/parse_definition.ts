/**
 * Unknown JSON -> definition. This is the only file that imports zod; it is itself imported only when there is a
 * definition file.
 */
// deno-lint-ignore-file no-control-regex
import * as z from "zod";
import { DefinitionError, type DefinitionIssue } from "../errors.ts";
import { type GatewayDefinition, HERMES } from "./definition.ts";
import { DEFAULT_EXIT_POLICY, type ExitAction, type ExitPolicy } from "./exit_policy.ts";
import { findSyntaxFault } from "./json_syntax.ts";
import { nearMiss } from "./near_miss.ts";

/** What a program gets where its definition says nothing. Nothing of it is Hermes' own. */
const DEFAULTS: Omit<GatewayDefinition, "name" | "user" | "home" | "command"> = {
  servicePrefix: HERMES.servicePrefix,
  fallbackId: HERMES.fallbackId,
  homeVariable: "GATEWAY_HOME",
  environment: {},
  supervisedMarkers: [],
  path: [],
  exitPolicy: DEFAULT_EXIT_POLICY,
  log: HERMES.log,
  stop: HERMES.stop,
};

const DEFAULT_MEANING: Readonly<Record<ExitAction, string>> = {
  park: "not to be started again",
  restart: "to be started again",
};

// Each rule is the end of a sentence: "it must be ...".

function text(rule: string, pattern: RegExp): z.ZodString {
  return z.string({ error: rule }).regex(pattern, { error: rule });
}

function line(most: number): z.ZodString {
  return text(`one line of 1 to ${most} characters`, new RegExp(`^[^\\u0000-\\u001f\\u007f]{1,${most}}$`));
}

function whole(least: number, most: number): z.ZodInt {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

function list<T extends z.ZodType>(of: T): z.ZodArray<T> {
  return z.array(of, { error: "a list" });
}

function fields<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape, { error: "an object" });
}

/** Describes a schema, and names it so that the published schema holds it once. */
function field<T extends z.ZodType>(id: string, description: string, schema: T): T {
  return schema.meta({ id, description });
}

const SEGMENT = String.raw`(?!\.{1,2}(?:\/|$))[^\/\u0000]+`;

const Variable = field(
  "variable",
  "The name of an environment variable.",
  text("the name of a variable: letters, digits and '_', and no digit first", /^[A-Za-z_][A-Za-z0-9_]*$/),
);
const Word = text("a string without a NUL", /^[^\u0000]*$/);
const Seconds = (least: number): z.ZodInt => whole(least, 86_400);
const Argv = field(
  "argv",
  "The program and its arguments; `{profile}` in a word stands for the profile.",
  z.tuple([text("a program: a word without '=' that does not start with '-'", /^[^-=\u0000][^=\u0000]*$/)], Word, {
    error: "a list, the program first",
  }),
);

const Name = field("name", "What is run, for people.", line(64));
const User = field(
  "user",
  "The unprivileged user it runs as; not root.",
  text(
    "the name of a user other than root: at most 32 letters, digits, '.', '_' and '-', a letter or '_' first",
    /^(?!root$)[A-Za-z_][A-Za-z0-9._-]{0,31}$/,
  ),
);
const Home = field(
  "home",
  "HOME, the working directory, and the volume unless the home variable says otherwise.",
  text(
    "an absolute path other than '/', without '.', '..', '//' or a '/' at its end",
    new RegExp(String.raw`^(?:\/${SEGMENT})+$`),
  ),
);
const Command = fields({
  default: Argv.describe("The command of the root profile."),
  named: Argv.describe("The command of any other profile; by default that of the root profile.").exactOptional(),
});

const ExitRule = fields({
  action: z.enum(["park", "restart"], { error: '"park" or "restart"' }).describe(
    "`park`: it stays down until an operator starts it. `restart`: it is started again.",
  ),
  meaning: line(200).describe("Why, for people.").exactOptional(),
});
const Log = fields({
  directory: text(
    "a path with {profile} in it, absolute or below the home, without '.', '..', '//' or a '/' at its end",
    new RegExp(String.raw`^(?=[^]*\{profile\})\/?${SEGMENT}(?:\/${SEGMENT})*$`),
  ).describe(
    "The folder, absolute or below the home; `{profile}` stands for the profile. " +
      `By default \`${DEFAULTS.log.directory}\`.`,
  ).exactOptional(),
  files: whole(1, 4_294_967_295).describe(
    `How many rotated files are kept. By default ${DEFAULTS.log.files}.`,
  ).exactOptional(),
  fileBytes: whole(4096, 268_435_455).describe(
    `The size at which a file is rotated, in bytes. By default ${DEFAULTS.log.fileBytes}.`,
  ).exactOptional(),
  timestamp: z.enum(["iso", "tai64n", "none"], { error: '"iso", "tai64n" or "none"' }).describe(
    "What each line starts with: local time in ISO 8601, a TAI64N stamp, or nothing. " +
      `By default \`${DEFAULTS.log.timestamp}\`.`,
  ).exactOptional(),
  copyToStandardOutput: z.boolean({ error: "true or false" }).describe(
    "Whether each line also goes to the supervisor's standard output. " +
      `By default ${DEFAULTS.log.copyToStandardOutput}.`,
  ).exactOptional(),
});
const Stop = fields({
  signal: z.enum(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"], {
    error: "SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1 or SIGUSR2",
  }).describe(`The signal that asks it to end. By default ${DEFAULTS.stop.signal}.`).exactOptional(),
  drainSeconds: Seconds(0).describe(
    `How long it may finish its work, in seconds. By default ${DEFAULTS.stop.drainSeconds}.`,
  ).exactOptional(),
  // Drain and grace of nothing would read as "never" to s6 (timeout-kill).
  graceSeconds: Seconds(1).describe(
    `How much longer it is let live, in seconds; then it is killed. By default ${DEFAULTS.stop.graceSeconds}.`,
  ).exactOptional(),
});

const OPTIONAL = {
  $schema: z.string({ error: "a string" }).describe("This schema, for editors.").exactOptional(),
  servicePrefix: field(
    "servicePrefix",
    "What a service name starts with. Two programs under one manager need different ones. " +
      `By default \`${DEFAULTS.servicePrefix}\`.`,
    text("at most 32 lower-case letters, digits and '-', with a '-' at its end only after one of the others",
      /^[a-z0-9][a-z0-9-]{0,30}-$/),
  ).exactOptional(),
};

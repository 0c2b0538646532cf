/**
 * Unknown JSON -> definition. This is the only file that imports zod; it is itself imported only when there is a
 * definition file.
 */
// deno-lint-ignore-file no-control-regex
import * as z from "zod";
import { DefinitionError } from "../errors.ts";
import { type GatewayDefinition, HERMES } from "./definition.ts";
import { definitionIssues, NEEDED } from "./definition_issues.ts";
import { DEFAULT_EXIT_POLICY, type ExitAction, type ExitPolicy } from "./exit_policy.ts";
import { findSyntaxFault } from "./json_syntax.ts";

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

// The message of each check is the end of the sentence "it must be ...".

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

function oneOf<const T extends readonly string[]>(...values: T): z.ZodType<T[number]> {
  return z.enum(values, { error: `one of ${values.join(", ")}` });
}

function fields<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape, { error: "an object" });
}

/** A field that may be left out, with what it is for. */
function field<T extends z.ZodType>(schema: T, description: string): z.ZodExactOptional<T> {
  return schema.describe(description).exactOptional();
}

const SEGMENT = String.raw`(?!\.{1,2}(?:\/|$))[^\/\u0000]+`;
const FOLDER = text(
  "an absolute path other than '/', without '.', '..', '//' or a '/' last",
  new RegExp(String.raw`^(?:\/${SEGMENT})+$`),
);
const VARIABLE = text("a name of letters, digits and '_', with no digit first", /^[A-Za-z_][A-Za-z0-9_]*$/);
const EXIT_CODE = text("an exit code from 0 to 255", /^(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/);
const WORD = text("a string without a NUL", /^[^\u0000]*$/);
const PROGRAM = text("a program: not empty, without '=', and no '-' first", /^[^-=\u0000][^=\u0000]*$/);
const ARGV = z.tuple([PROGRAM], WORD, { error: "a list, the program first" });

const COMMAND = fields({
  default: field(ARGV, "For the root profile."),
  named: field(ARGV, "For any other profile; by default as for the root profile."),
});

const EXIT_RULE = fields({
  action: oneOf("park", "restart").describe("Stay down until an operator starts it, or start again."),
  meaning: field(line(200), "Why, for people."),
});

const LOG = fields({
  directory: field(
    text(
      "a path with {profile} in it, absolute or below the home, without '.', '..', '//' or a '/' last",
      new RegExp(String.raw`^(?=[\s\S]*\{profile\})\/?${SEGMENT}(?:\/${SEGMENT})*$`),
    ),
    `The folder, absolute or below the home; {profile} stands for the profile. By default "${DEFAULTS.log.directory}".`,
  ),
  files: field(whole(1, 4_294_967_295), `How many rotated files are kept. By default ${DEFAULTS.log.files}.`),
  fileBytes: field(
    whole(4096, 268_435_455),
    `The size at which a file is rotated, in bytes. By default ${DEFAULTS.log.fileBytes}.`,
  ),
  timestamp: field(
    oneOf("iso", "tai64n", "none"),
    "What each line starts with: local time in ISO 8601, a TAI64N stamp, or nothing. " +
      `By default "${DEFAULTS.log.timestamp}".`,
  ),
  copyToStandardOutput: field(
    z.boolean({ error: "true or false" }),
    `Whether each line also goes to the supervisor's output. By default ${DEFAULTS.log.copyToStandardOutput}.`,
  ),
});

const STOP = fields({
  signal: field(
    oneOf("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"),
    `The signal that asks it to end. By default ${DEFAULTS.stop.signal}.`,
  ),
  drainSeconds: field(
    whole(0, 86_400),
    `How long it may finish its work, in seconds. By default ${DEFAULTS.stop.drainSeconds}.`,
  ),
  // Not 0: no time at all, drain and grace together, means to s6 that it is never killed.
  graceSeconds: field(
    whole(1, 86_400),
    `How much longer it is let live, in seconds; then it is killed. By default ${DEFAULTS.stop.graceSeconds}.`,
  ),
});

const DEFINITION = fields({
  $schema: field(z.string({ error: "a string" }), "This schema, for editors."),
  extends: field(
    z.literal("hermes", { error: '"hermes"' }),
    "Take the rest from the built-in definition of Hermes.",
  ),
  name: field(line(64), "What is run, for people: its usual name."),
  servicePrefix: field(
    text(
      "at most 32 lower-case letters, digits and '-', with a '-' last and none first",
      /^[a-z0-9][a-z0-9-]{0,30}-$/,
    ),
    "What a service name starts with; two programs under one manager need two. " +
      `By default "${DEFAULTS.servicePrefix}".`,
  ),
  user: field(
    text(
      "the name of a user other than root: at most 32 letters, digits, '.', '_' and '-', with a letter or '_' first",
      /^(?!root$)[A-Za-z_][A-Za-z0-9._-]{0,31}$/,
    ),
    "The unprivileged user it runs as.",
  ),
  fallbackId: field(
    whole(1, 4_294_967_294),
    `The user and group id where the machine does not know the user. By default ${DEFAULTS.fallbackId}.`,
  ),
  home: field(
    FOLDER,
    "HOME, the working directory, and the volume unless the environment names another by the home variable.",
  ),
  homeVariable: field(
    text("a variable of the program's own", /^(?!(?:HOME|PATH|PWD|IFS|ENV)$|LD_)[A-Za-z_][A-Za-z0-9_]*$/),
    `The environment variable that names the volume at run time. By default "${DEFAULTS.homeVariable}".`,
  ),
  command: field(COMMAND, "The program and its arguments; {profile} in a word stands for the profile."),
  environment: field(
    z.record(VARIABLE, WORD, { error: "an object" }),
    "Environment variables of every profile. By default none. They end up in a script: no place for secrets.",
  ),
  supervisedMarkers: field(
    z.array(VARIABLE, { error: "a list" }),
    "Variables set to 1, by which the program knows that it is supervised. By default none.",
  ),
  path: field(
    z.array(text("an absolute path without ':'", /^\/[^:\u0000]*$/), { error: "a list" }),
    "Folders put before PATH when the program is looked up. By default none.",
  ),
  exitPolicy: field(
    z.record(EXIT_CODE, EXIT_RULE, { error: "an object" }),
    "What exit codes mean. By default 0 and 78 park and 75 restarts; codes that are not named keep that. " +
      "Any other code, and death by a signal, restarts.",
  ),
  log: field(LOG, "How output is kept."),
  stop: field(STOP, "How it is stopped."),
  scandir: field(
    FOLDER,
    "s6: the folder that an s6-svscan watches. By default the user's own tree, else /run/service.",
  ),
}).meta({
  title: "Gatewarden definition",
  description: "What to run and how.",
  anyOf: [
    { required: ["extends"] },
    { required: NEEDED.map(([name]) => name), properties: { command: { required: ["default"] } } },
  ],
});

const FIELD_NAMES: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(DEFINITION.shape),
  command: Object.keys(COMMAND.shape),
  exitPolicy: Object.keys(EXIT_RULE.shape),
  log: Object.keys(LOG.shape),
  stop: Object.keys(STOP.shape),
};

/**
 * Checks a definition and fills in what it leaves out: from Hermes if it extends it, else from defaults in which
 * nothing is Hermes' own. Objects are filled in field by field, the exit policy code by code; lists are replaced.
 *
 * @param json What JSON.parse gave.
 * @param source Where it came from, for the message: a file name.
 * @throws {DefinitionError} It names everything that is wrong, by field.
 */
export function parseDefinition(json: unknown, source: string = "the definition"): GatewayDefinition {
  const result = DEFINITION.safeParse(json);
  const issues = definitionIssues(json, result.error?.issues ?? [], FIELD_NAMES);
  const base = result.success ? baseOf(result.data) : undefined;
  if (!result.success || base === undefined || issues.length > 0) throw new DefinitionError(source, issues);
  return fillIn(base, result.data);
}

/**
 * Like {@link parseDefinition}, from the text of a file.
 *
 * @throws {DefinitionError} Also when the text is not JSON; it says where.
 */
export function parseDefinitionText(text: string, source: string = "the definition"): GatewayDefinition {
  const withoutMark = text.replace(/^\uFEFF/, "");
  const fault = findSyntaxFault(withoutMark);
  if (fault !== undefined) {
    const { line, column, expected, found } = fault;
    const message = `it is not JSON: line ${line}, column ${column}: ${expected} expected, not ${found}`;
    throw new DefinitionError(source, [{ path: "", message }]);
  }
  return parseDefinition(JSON.parse(withoutMark), source);
}

/** The JSON Schema of a definition file; it accepts what {@link parseDefinition} accepts. */
export function definitionJsonSchema(): unknown {
  return z.toJSONSchema(DEFINITION);
}

type Given = z.infer<typeof DEFINITION>;

function baseOf({ extends: base, name, user, home, command }: Given): GatewayDefinition | undefined {
  if (base !== undefined) return HERMES;
  const argv = command?.default;
  if (name === undefined || user === undefined || home === undefined || argv === undefined) return undefined;
  return { ...DEFAULTS, name, user, home, command: { default: argv, named: argv } };
}

function fillIn(base: GatewayDefinition, { $schema: _, extends: __, ...given }: Given): GatewayDefinition {
  return {
    ...base,
    ...given,
    command: { ...base.command, ...given.command },
    environment: { ...base.environment, ...given.environment },
    exitPolicy: { ...base.exitPolicy, ...withMeanings(given.exitPolicy ?? {}) },
    log: { ...base.log, ...given.log },
    stop: { ...base.stop, ...given.stop },
  };
}

function withMeanings(rules: NonNullable<Given["exitPolicy"]>): ExitPolicy {
  const entries = Object.entries(rules);
  return Object.fromEntries(
    entries.map(([code, rule]) => [code, { meaning: DEFAULT_MEANING[rule.action], ...rule }]),
  );
}

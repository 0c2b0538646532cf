/**
 * A definition as an s6 service directory.
 * https://skarnet.org/software/s6/servicedir.html
 */
import { UsageError } from "../errors.ts";
import { commandOf, type GatewayDefinition, logDirectoryOf, stopBudgetMs } from "../gateway/definition.ts";
import { exitCodes, exitRule } from "../gateway/exit_policy.ts";
import { serviceName } from "../gateway/profile.ts";
import type { RenderedFile } from "../manager.ts";
import { ENV_FOLDER, envdirCommand, envdirText } from "./envdir.ts";
import {
  assertShIdentifier,
  assertShValue,
  isSpecialShVariable,
  quoteSh,
  quoteShCommand,
  shAssignment,
} from "../quote/sh.ts";

/** What starts the scripts. */
export type Interpreter = "with-contenv" | "sh";

/** What a slot is rendered for. */
export interface SlotOptions {
  /** `with-contenv` under s6-overlay, where it gives the script the container's environment; `sh` elsewhere. */
  readonly interpreter: Interpreter;
  /** Environment variables of this profile, over those of the definition. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Likewise, kept in files that only the supervisor reads; `extraEnv` wins. */
  readonly secretEnv?: Readonly<Record<string, string>>;
  /** Whether it is up as soon as it is supervised; by default true. */
  readonly startNow?: boolean;
}

/** The first line of a script. */
export const SHEBANG: Readonly<Record<Interpreter, string>> = {
  "with-contenv": "#!/command/with-contenv sh",
  sh: "#!/bin/sh",
};

/** The test by which a script tells that it is root. */
export const IS_ROOT = '[ "$(id -u)" = 0 ]';

/**
 * Root must not be taken for somebody else because there is no answer from `id`: not here, and not later, when the
 * service user may have used up all memory. 111 is s6's code for a failed system call.
 */
export const NEEDS_ID: readonly string[] = [
  "# Without an answer, the tests below would take root for an unprivileged user. So root asks but once.",
  "case $(id -u) in",
  "  0) id() { echo 0; } ;;",
  "  '') exit 111 ;;",
  "esac",
];

/**
 * The files of a profile's slot, at their paths below the scandir.
 *
 * @throws {InvalidProfileNameError} When the profile name breaks a rule.
 * @throws {UsageError} When a variable's name is no shell identifier, a value holds a NUL, or a secret variable is one
 * that decides what root runs.
 */
export function renderSlot(
  definition: GatewayDefinition,
  profile: string,
  options: SlotOptions,
): RenderedFile[] {
  const slot = serviceName(profile, definition);
  const hasOwnEnvironment = Object.keys(options.extraEnv ?? {}).length > 0;
  const secrets = secretsOf(definition, options);
  const file = (path: string, mode: number, text: string): RenderedFile => ({
    path: `${slot}/${path}`,
    mode,
    text,
  });
  return [
    ...(options.startNow === false ? [file("down", 0o644, "")] : []),
    ...(definition.stop.signal === "SIGTERM"
      ? []
      : [file("down-signal", 0o644, `${definition.stop.signal}\n`)]),
    ...secrets.map(([name, value]) => file(`${ENV_FOLDER}/${name}`, 0o600, envdirText(value))),
    file("finish", 0o755, renderFinish(definition, profile)),
    file("log/run", 0o755, renderLogRun(definition, profile, options.interpreter)),
    file("log/type", 0o644, "longrun\n"),
    // An environment may hold secrets, and only the supervisor reads the script.
    file("run", hasOwnEnvironment ? 0o700 : 0o755, renderRun(definition, profile, options)),
    file("timeout-finish", 0o644, "5000\n"),
    file("timeout-kill", 0o644, `${stopBudgetMs(definition.stop)}\n`),
    file("type", 0o644, "longrun\n"),
  ];
}

/** The script that becomes the gateway. */
export function renderRun(definition: GatewayDefinition, profile: string, options: SlotOptions): string {
  const service = oneLine(serviceName(profile, definition));
  const user = oneLine(definition.user);
  const { early, late } = environmentOf(definition, options.extraEnv ?? {});
  const command = gatewayCommand(definition, profile, late);
  const secrets = secretsOf(definition, options);
  const envdir = secrets.length === 0 ? "" : `${envdirCommand(secrets)} `;
  return scriptOf(
    SHEBANG[options.interpreter],
    "# shellcheck shell=sh",
    `# Run by s6-supervise to become ${service}, as the supervisor's own user.`,
    `# Root only drops to ${user}. What could change which programs and libraries run, such as PATH, is set by env,`,
    "# after the drop.",
    "set -e",
    "exec 2>&1",
    ...NEEDS_ID,
    ...(secrets.length === 0 ? [] : [
      `# Further variables are in the slot's own ${ENV_FOLDER}/, which only the supervisor reads.`,
      `set -- "$(pwd -P)/${ENV_FOLDER}"`,
    ]),
    `export ${shAssignment("HOME", definition.home)}`,
    homeDefault(definition),
    `export ${definition.homeVariable}`,
    `cd ${quoteSh(definition.home)}`,
    ...early.map(([name, value]) => `export ${shAssignment(name, value)}`),
    ...definition.supervisedMarkers.map((name) => `export ${shAssignment(name, "1")}`),
    `${IS_ROOT} || exec ${envdir}${command}`,
    `exec ${envdir}s6-setuidgid ${quoteSh(definition.user)} ${command}`,
  );
}

/** What is kept in files, by name. Who says `--env` too means that one, and nobody means to unset a marker. */
function secretsOf(definition: GatewayDefinition, { extraEnv, secretEnv }: SlotOptions): Variable[] {
  const others = new Set([...Object.keys(extraEnv ?? {}), ...definition.supervisedMarkers]);
  const secrets = Object.entries(secretEnv ?? {}).filter(([name]) => !others.has(name))
    .sort(([a], [b]) => a < b ? -1 : 1);
  for (const [name, value] of secrets) {
    assertShValue(name, value);
    if (LOADER.test(name)) {
      // Root reads the files, so the variables are set before the drop: they would decide what root runs.
      throw new UsageError(
        `Cannot keep ${name} in a file of root: it decides which programs and libraries run.`,
        {
          hint: `It is no secret: set it with --env ${name}=VALUE, or in the definition.`,
        },
      );
    }
  }
  return secrets;
}

/** The script that decides, from how the gateway ended, whether it is started again. */
export function renderFinish(definition: GatewayDefinition, profile: string): string {
  const { exitPolicy } = definition;
  const service = oneLine(serviceName(profile, definition));
  return scriptOf(
    SHEBANG.sh,
    "# shellcheck shell=sh",
    `# Run by s6-supervise whenever ${service} has ended, as the supervisor's own user.`,
    "# $1 is the gateway's exit code, 256 if a signal killed it. Exiting with 125 asks s6 not to start it again.",
    'case "$1" in',
    ...exitCodes(exitPolicy, "park").map((code) =>
      `  ${code}) exit 125 ;; # ${oneLine(exitRule(exitPolicy, code).meaning)}`
    ),
    "esac",
    "exit 0",
  );
}

/** The script that becomes the logger. */
export function renderLogRun(
  definition: GatewayDefinition,
  profile: string,
  interpreter: Interpreter,
): string {
  const service = oneLine(serviceName(profile, definition));
  const user = oneLine(definition.user);
  const setuidgid = `s6-setuidgid ${quoteSh(definition.user)}`;
  const directory = logDirectoryOf(definition, profile);
  const absolute = directory.startsWith("/");
  const prepare = ['mkdir -p "$log_dir"', 'rm -f "$log_dir/lock"'];
  const logger = ["s6-log", ...logScript(definition).map(quoteSh), '"$log_dir"'].join(" ");
  // The word s6-log stands on the last two lines only: what comes before them is also run by itself, in tests.
  // There is no "set -e": where the folder cannot be prepared, the logger's own message says more.
  return scriptOf(
    SHEBANG[interpreter],
    "# shellcheck shell=sh",
    `# Run by s6-supervise to become the logger of ${service}, as the supervisor's own user.`,
    `# ${user} can swap the log's folder, and any folder above it, for a link at any moment. So root touches no path`,
    `# there: ${user} makes the folder and removes a stale lock. A check before the touch would not help.`,
    ...NEEDS_ID,
    ...(absolute ? [] : [homeDefault(definition)]),
    absolute ? `log_dir=${quoteSh(directory)}` : `log_dir=${below(definition.homeVariable, directory)}`,
    `if ${IS_ROOT}; then`,
    ...prepare.map((command) => `  ${setuidgid} ${command}`),
    "else",
    ...prepare.map((command) => `  ${command}`),
    "fi",
    `${IS_ROOT} || exec ${logger}`,
    `exec ${setuidgid} ${logger}`,
  );
}

/** The logger's directives, before the folder. They apply in order: the copy comes before the files. */
function logScript({ log }: GatewayDefinition): string[] {
  const stamp = { iso: ["T"], tai64n: ["t"], none: [] }[log.timestamp];
  return [...(log.copyToStandardOutput ? ["1"] : []), `n${log.files}`, `s${log.fileBytes}`, ...stamp];
}

type Variable = readonly [name: string, value: string];

/** By these the C library finds programs, libraries and plug-ins: what ld.so ignores in a set-user-id program. */
const LOADER = /^(?:PATH|LD_.*|GCONV_PATH|GLIBC_TUNABLES|LANGUAGE|LOCPATH|MALLOC_.*|NLSPATH)$/;

/**
 * The variables of a profile by name, in two groups. The late ones wait until privileges are dropped: set any earlier,
 * they would also decide what root runs.
 */
function environmentOf(
  definition: GatewayDefinition,
  extraEnv: Readonly<Record<string, string>>,
): { early: Variable[]; late: Variable[] } {
  const all = Object.entries({ ...definition.environment, ...extraEnv })
    .sort(([a], [b]) => a < b ? -1 : 1);
  for (const [name] of all) assertShIdentifier(name);
  const isLate = ([name]: Variable): boolean => LOADER.test(name) || isSpecialShVariable(name);
  return { early: all.filter((one) => !isLate(one)), late: all.filter(isLate) };
}

function gatewayCommand(definition: GatewayDefinition, profile: string, late: readonly Variable[]): string {
  const assignments = late.filter(([name]) => name !== "PATH" || definition.path.length === 0)
    .map(([name, value]) => shAssignment(name, value));
  if (definition.path.length > 0) {
    const folders = definition.path.join(":");
    const own = late.find(([name]) => name === "PATH");
    assignments.push(
      own === undefined
        ? `PATH=${quoteSh(folders)}"\${PATH:+:$PATH}"`
        : shAssignment("PATH", `${folders}:${own[1]}`),
    );
  }
  const command = quoteShCommand(commandOf(definition, profile));
  return assignments.length === 0 ? command : `env ${assignments.join(" ")} ${command}`;
}

/** A path below the folder a variable names. */
function below(variable: string, path: string): string {
  return quoteSh(path) === path ? `"$${variable}/${path}"` : `"$${variable}/"${quoteSh(path)}`;
}

/** Sets the home variable where the environment does not; between double quotes only where quoting changes nothing. */
function homeDefault({ home, homeVariable }: GatewayDefinition): string {
  assertShIdentifier(homeVariable);
  const word = quoteSh(home);
  return word === home ? `: "\${${homeVariable}:=${word}}"` : `${homeVariable}=\${${homeVariable}:-${word}}`;
}

/** Text from outside as part of a comment: a newline would end it. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Control}]+/gu, " ");
}

/** A script from its lines. */
export function scriptOf(...all: string[]): string {
  return all.join("\n") + "\n";
}

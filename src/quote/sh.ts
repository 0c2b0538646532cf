/**
 * The one quoter for POSIX shell text.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
 */
import { UsageError } from "../errors.ts";

const SAFE = /^[A-Za-z0-9_@%+:,./-]+$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Variables of dash, bash, busybox ash, mksh, yash or ksh that do not keep what is assigned to them. */
const SPECIAL = new Set(
  ("COLUMNS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FUNCNAME GROUPS HISTCMD HISTSIZE JOBMAX LANG " +
    "LINENO LINES MAILCHECK OPTIND PGRP PIPESTATUS PPID RANDOM SECONDS SHELLOPTS SHLVL SRANDOM TMOUT UID USER_ID _")
    .split(" "),
);
const SPECIAL_PREFIX = /^(?:BASH|KSH|LC_)/;

/**
 * Quotes a value as one word of a POSIX shell: bare when no character of it means anything to a shell, else in
 * single quotes, where only the single quote itself needs care.
 *
 * @param value Any text without a NUL.
 * @returns The word.
 * @throws {UsageError} When the value holds a NUL, which no argument and no variable can, or half a character, which
 * no file can.
 *
 * @example
 * ```ts
 * import { quoteSh } from "gatewarden";
 * quoteSh("bar baz"); // 'bar baz'
 * quoteSh("a'b"); // 'a'"'"'b'
 * ```
 */
export function quoteSh(value: string): string {
  assertText(value, "Cannot quote a value for the shell");
  return SAFE.test(value) ? value : `'${value.replaceAll("'", `'"'"'`)}'`;
}

/** Quotes each argument and joins them to one command line. */
export function quoteShCommand(argv: readonly string[]): string {
  return argv.map(quoteSh).join(" ");
}

/**
 * An assignment as it stands in a script: `FOO='bar baz'`.
 *
 * @throws {UsageError} When the name is not a shell identifier, or the value holds a NUL.
 */
export function shAssignment(name: string, value: string): string {
  assertShValue(name, value);
  return `${name}=${quoteSh(value)}`;
}

/** Refuses a name that no shell takes for a variable, and a value that no variable can hold. */
export function assertShValue(name: string, value: string): void {
  assertShIdentifier(name);
  assertText(value, `Cannot set ${name}`);
}

/** Refuses what no argument, variable or file can hold. The message leaves the value out: it may be a secret. */
function assertText(value: string, what: string): void {
  if (value.includes("\0")) throw new UsageError(`${what}: the value holds a NUL.`);
  if (LONE_SURROGATE.test(value)) throw new UsageError(`${what}: the value holds half a character.`);
}

/** Whether a shell takes a name for a variable's. */
export function isShIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}

/** Refuses a name that no shell takes for a variable. */
export function assertShIdentifier(name: string): void {
  if (!isShIdentifier(name)) {
    throw new UsageError(`Cannot use ${JSON.stringify(name)} as the name of an environment variable.`, {
      hint: "A name is made of letters, digits and '_', and does not start with a digit.",
    });
  }
}

/**
 * Whether a shell gives the variable a meaning of its own: it may be read-only (UID in bash), may be set by the shell
 * itself, or may have its value evaluated, in which case `SECONDS='a[$(command)]'` runs the command, quotes or not.
 * Such a variable is not assigned in a script; `env` sets it for a program.
 */
export function isSpecialShVariable(name: string): boolean {
  return SPECIAL.has(name) || SPECIAL_PREFIX.test(name);
}

/**
 * The one quoter for POSIX shell text.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
 */
import { UsageError } from "../errors.ts";

const SAFE = /^[A-Za-z0-9_@%+:,./-]+$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Quotes a value as one word of a POSIX shell: bare when no character of it means anything to a shell, else in
 * single quotes, where only the single quote itself needs care.
 *
 * @param value Any text without a NUL.
 * @returns The word.
 * @throws {UsageError} When the value holds a NUL: no argument and no variable can.
 *
 * @example
 * ```ts
 * import { quoteSh } from "gatewarden";
 * quoteSh("bar baz"); // 'bar baz'
 * quoteSh("a'b"); // 'a'"'"'b'
 * ```
 */
export function quoteSh(value: string): string {
  if (value.includes("\0")) {
    throw new UsageError(`Cannot quote ${JSON.stringify(value)}: a value cannot hold a NUL.`);
  }
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
  assertShIdentifier(name);
  return `${name}=${quoteSh(value)}`;
}

/** Refuses a name that no shell takes for a variable. */
export function assertShIdentifier(name: string): void {
  if (!IDENTIFIER.test(name)) {
    throw new UsageError(`Cannot use ${JSON.stringify(name)} as the name of an environment variable.`, {
      hint: "A name is made of letters, digits and '_', and does not start with a digit.",
    });
  }
}

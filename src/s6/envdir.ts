/**
 * Variables as files, as s6-envdir reads them.
 * https://skarnet.org/software/s6/s6-envdir.html
 */

/** Where in a slot they are: with data/ the one place that s6 promises to leave alone. */
export const ENV_FOLDER = "env";

/** What s6-envdir reads of a file when it is not told to read all. */
const CLAMP = 4096;

/** The content of a variable's file: no value is the empty file, which would unset it. */
export function envdirText(value: string): string {
  return `${value}\n`;
}

/**
 * The words that set the variables; `$1` is where they are, because no variable of a service has that name.
 *
 * -f takes newlines in a value, and takes the last one off. -L, which an s6 before 2.11.2 does not know, is there only
 * for a value that needs it.
 */
export function envdirCommand(variables: readonly (readonly [name: string, value: string])[]): string {
  const long = variables.some(([, value]) => new TextEncoder().encode(envdirText(value)).length >= CLAMP);
  return `s6-envdir ${long ? "-fL" : "-f"} "$1"`;
}

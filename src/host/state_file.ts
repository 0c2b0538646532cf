/**
 * Files on the volume, written as the service user: whatever that user does to paths meanwhile, only its own rights
 * count. Each script works in the folder itself, and goes on only if no link led there.
 */
import { basename, dirname } from "node:path";
import { FileError } from "../errors.ts";
import { withFields } from "../gateway/json_fields.ts";
import type { Action, Plan } from "../manager.ts";
import { dropTo } from "./facts.ts";
import { isRoot, READ_LIMIT } from "./files.ts";
import { run, type RunResult } from "./run.ts";

const ENTER = `set -e
umask 077
cd -- "$1"
here=$(pwd -P)
[ "$here" = "$1" ] || { echo "$1 leads through a link, to $here" >&2; exit 1; }`;

const SUM = `sum() { head -c ${READ_LIMIT + 1} -- "$1" | cksum; }`;

/**
 * Puts standard input in the place of a file. The third argument is its size: a caller that was killed has sent less.
 * With a fourth it keeps the mode of the file, and goes on only while the file has that checksum.
 */
const REPLACE = `${ENTER}
${SUM}
temporary=$(mktemp .gatewarden.XXXXXXXX)
trap 'rm -f -- "$temporary"' EXIT
cat >"$temporary"
[ "$(wc -c <"$temporary")" -eq "$3" ] || { echo "its text did not come whole" >&2; exit 74; }
sync "$temporary"
if [ -n "\${4-}" ]; then
  chmod "$(stat -c %a -- "$2")" "$temporary"
  [ "$(sum "$2")" = "$4" ] || exit 75
fi
mv -fT -- "$temporary" "$2"`;

/** Prints the checksum of a file, then what it holds: its sum comes first, so that a later change is seen. */
const READ = `${ENTER}
${SUM}
[ -f "$2" ] && [ ! -L "$2" ] || exit 66
sum "$2"
head -c ${READ_LIMIT + 1} -- "$2"`;

/** What the scripts exit with, of sysexits.h. */
const EX_NOINPUT = 66;
const EX_TEMPFAIL = 75;

const TIMES = 5;

type Verb = Pick<Plan, "verb">;

/** Replaces a file at once. */
export async function replaceFile(action: Action & { do: "replace" }, verb: Verb): Promise<void> {
  const result = await runIn(action, REPLACE, { input: action.text });
  if (result.exitCode !== 0 || result.timedOut) throw cannot("write", action, verb, result);
}

/**
 * Sets fields of the JSON object in a file that has another writer too. Written is only what was read a moment ago: when
 * the other writer was faster, it is read again.
 */
export async function updateFile(action: Action & { do: "update" }, verb: Verb): Promise<void> {
  for (let time = 1;; time++) {
    const read = await runIn(action, READ, {});
    if (read.exitCode === EX_NOINPUT) return;
    if (read.exitCode !== 0 || read.timedOut) throw cannot("read", action, verb, read);
    const end = read.stdout.indexOf("\n");
    const before = read.stdout.slice(end + 1);
    const after = isWhole(before) ? withFields(before, action.fields) : undefined;
    if (after === undefined || after === before) return;
    const result = await runIn(action, REPLACE, { input: after, sum: read.stdout.slice(0, end) });
    if (result.exitCode === 0 && !result.timedOut) return;
    if (result.exitCode !== EX_TEMPFAIL || time === TIMES) throw cannot("write", action, verb, result);
  }
}

/** Whether all of a text was read, and nothing was lost when it was decoded. */
function isWhole(text: string): boolean {
  return new TextEncoder().encode(text).length <= READ_LIMIT && !text.includes("\ufffd");
}

async function runIn(
  { path, as }: { readonly path: string; readonly as: string },
  script: string,
  { input, sum }: { readonly input?: string; readonly sum?: string },
): Promise<RunResult> {
  const words = ["/bin/sh", "-c", script, "sh", dirname(path), basename(path)];
  if (input !== undefined) words.push(String(new TextEncoder().encode(input).length));
  if (sum !== undefined) words.push(sum);
  return await run(isRoot() ? [...dropTo(as), ...words] : words, {
    timeoutMs: 5000,
    ...(input === undefined ? {} : { input }),
  });
}

function cannot(
  what: "read" | "write",
  { path, as }: { readonly path: string; readonly as: string },
  { verb }: Verb,
  { exitCode, stderr, timedOut }: RunResult,
): FileError {
  const why = timedOut
    ? "it took more than 5 s"
    : exitCode === EX_TEMPFAIL
    ? "another writer changes it all the time"
    : stderr.trim() || "no reason was given";
  return new FileError(`Cannot ${what} ${path}${isRoot() ? ` as ${as}` : ""} for this ${verb}: ${why}.`);
}

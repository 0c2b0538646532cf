/** Times in a log of s6-log, and the times people name. https://skarnet.org/software/s6/s6-log.html */
import { Buffer } from "node:buffer";
import { UnsupportedError, UsageError } from "../errors.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a point in time as people name it: `10m` ago (`s`, `m`, `h`, `d`), or a date in ISO 8601, local unless it
 * ends in `Z` or an offset.
 *
 * @returns Milliseconds since 1970.
 * @throws {UsageError} When it is neither.
 */
export function parseSince(text: string, now: number = Date.now()): number {
  const ago = /^(\d+)([smhd])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (UNIT_MS[ago[2] ?? ""] ?? 0);
  const date = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text);
  // A date alone would be taken as UTC.
  const time = date === null ? NaN : Date.parse(`${date[1]}T${date[2] ?? "00:00"}`);
  if (Number.isNaN(time)) {
    throw new UsageError(`Cannot use ${JSON.stringify(text)} for --since: it is no time.`, {
      hint: "Name one like 10m, 2h or 2025-01-31T08:00.",
    });
  }
  return time;
}

/**
 * The time that a line starts with: the logger's local time in ISO 8601, or a TAI64N stamp.
 *
 * @returns Milliseconds since 1970; undefined when the line starts with neither.
 */
export function timeOfLine(line: string): number | undefined {
  const iso = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})/.exec(line);
  if (iso !== null) return Date.parse(`${iso[1]}T${iso[2]}`);
  const tai64n = /^@([0-9a-f]{16})([0-9a-f]{8})/.exec(line);
  if (tai64n === null) return undefined;
  const seconds = Number(BigInt(`0x${tai64n[1]}`) - TAI_OF_1970);
  return seconds * 1000 + Math.floor(Number(`0x${tai64n[2]}`) / 1e6);
}

/** The label of 1970-01-01 00:00:00 UTC: TAI was 10 s ahead, and s6 counts no leap second since. */
const TAI_OF_1970 = 2n ** 62n + 10n;

const NEWLINE = 0x0a;

/**
 * Leaves out the lines before the first that is not older than a time.
 *
 * @param time Milliseconds since 1970.
 * @throws {UnsupportedError} When there are lines, and none starts with a time.
 */
export async function* linesSince(
  chunks: AsyncIterable<Uint8Array>,
  time: number,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array | undefined = new Uint8Array();
  let untimed: string | undefined;
  for await (const chunk of chunks) {
    if (rest === undefined) {
      yield chunk;
      continue;
    }
    const buffer: Buffer = Buffer.concat([rest, chunk]);
    rest = buffer.subarray(buffer.lastIndexOf(NEWLINE) + 1);
    for (let start = 0, end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, start)) {
      const line = buffer.toString("latin1", start, end);
      const lineTime = timeOfLine(line);
      if (lineTime === undefined) untimed ??= line;
      if (lineTime !== undefined && lineTime >= time) {
        yield buffer.subarray(start);
        rest = undefined;
        break;
      }
      start = end + 1;
    }
  }
  if (rest !== undefined && untimed !== undefined) {
    throw new UnsupportedError(
      "Cannot tell which lines are that new: this log has lines that start with no time.",
      {
        hint:
          'Leave out --since, or set "log.timestamp" to "iso" in the definition and register the gateway anew.',
      },
    );
  }
}

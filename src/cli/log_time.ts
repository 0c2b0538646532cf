/** The times in a log of s6-log. https://skarnet.org/software/s6/s6-log.html */
import { Buffer } from "node:buffer";
import { UnsupportedError } from "../errors.ts";
import { dateOfTai64n } from "../s6/status.ts";

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
  return dateOfTai64n(BigInt(`0x${tai64n[1]}`), Number(`0x${tai64n[2]}`))?.getTime();
}

const NEWLINE = 0x0a;

/** No stamp is longer. */
const STAMP_BYTES = 40;

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
  let untimed = false;
  for await (const chunk of chunks) {
    if (rest === undefined) {
      yield chunk;
      continue;
    }
    const buffer: Buffer = Buffer.concat([rest, chunk]);
    rest = buffer.subarray(buffer.lastIndexOf(NEWLINE) + 1);
    for (let start = 0, end = buffer.indexOf(NEWLINE); end !== -1; end = buffer.indexOf(NEWLINE, start)) {
      const lineTime = timeOfLine(buffer.toString("latin1", start, Math.min(end, start + STAMP_BYTES)));
      untimed ||= lineTime === undefined;
      if (lineTime !== undefined && lineTime >= time) {
        yield buffer.subarray(start);
        rest = undefined;
        break;
      }
      start = end + 1;
    }
  }
  if (rest !== undefined && untimed) {
    throw new UnsupportedError(
      "Cannot tell which lines are that new: this log has lines that start with no time.",
      {
        hint:
          'Leave out --since, or set "log.timestamp" to "iso" in the definition and register the gateway anew.',
      },
    );
  }
}

/** A point in time as people name it. */

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Reads a point in time as people name it: `10m` ago (`s`, `m`, `h`, `d`), or a date in ISO 8601, local unless it
 * ends in `Z` or an offset.
 *
 * @returns Milliseconds since 1970.
 * @throws {SyntaxError} When it is neither.
 */
export function parseSince(text: string, now: number = Date.now()): number {
  const ago = /^(\d+)([smhd])$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * (UNIT_MS[ago[2] ?? ""] ?? 0);
  const date = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text);
  // A date alone would be taken as UTC.
  const time = date === null ? NaN : Date.parse(`${date[1]}T${date[2] ?? "00:00"}`);
  if (Number.isNaN(time)) {
    throw new SyntaxError(`--since is a time like 10m, 2h or 2025-01-31T08:00, not ${JSON.stringify(text)}`);
  }
  return time;
}

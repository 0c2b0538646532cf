import { describe, expect, it } from "vitest";
import { linesSince, timeOfLine } from "../../src/cli/log_time.ts";
import { parseSince } from "../../src/cli/since.ts";

describe("parseSince", () => {
  it.each([["0s", 0], ["30s", 30_000], ["10m", 600_000], ["2h", 7_200_000], ["1d", 86_400_000]])(
    "takes %s as so long ago",
    (text, milliseconds) => {
      expect(parseSince(text, 1e12)).toBe(1e12 - milliseconds);
    },
  );

  it.each<[string, Date]>([
    ["2026-01-31", new Date(2026, 0, 31)],
    ["2026-01-31T08:00", new Date(2026, 0, 31, 8)],
    ["2026-01-31 08:00:30", new Date(2026, 0, 31, 8, 0, 30)],
    ["2026-01-31T08:00:30.5Z", new Date(Date.UTC(2026, 0, 31, 8, 0, 30, 500))],
    ["2026-01-31T08:00+02:00", new Date(Date.UTC(2026, 0, 31, 6))],
  ])("takes %s as a time, local unless it says otherwise", (text, time) => {
    expect(parseSince(text)).toBe(time.getTime());
  });

  it.each(["", "10", "m", "10 m", "-5m", "yesterday", "2026-13-01", "2026-01-31T25:00", "1e3s", "2026"])(
    "refuses %j",
    (text) => {
      expect(() => parseSince(text)).toThrow("--since is a time like");
    },
  );
});

describe("timeOfLine", () => {
  it("reads the local time of s6-log's T", () => {
    expect(timeOfLine("2026-01-31 08:00:30.052880307  hello")).toBe(
      new Date(2026, 0, 31, 8, 0, 30, 52).getTime(),
    );
  });

  it("reads the TAI64N stamp of s6-log's t", () => {
    expect(timeOfLine("@400000006b0ef45702f45d89 hello")).toBe(Date.UTC(2026, 11, 1, 16, 22, 10, 49));
  });

  it.each(["", "hello", "@4000 hello", "2026-01-31 hello"])("finds none in %j", (line) => {
    expect(timeOfLine(line)).toBeUndefined();
  });
});

describe("linesSince", () => {
  const stamp = (second: number): string => `2026-01-31 08:00:${String(second).padStart(2, "0")}.000000000`;
  const time = new Date(2026, 0, 31, 8, 0, 5).getTime();

  async function filter(text: string, chunkSize = text.length): Promise<string> {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
    }
    const kept: Uint8Array[] = [];
    for await (const chunk of linesSince(chunks(), time)) kept.push(chunk);
    return new TextDecoder().decode(Uint8Array.from(kept.flatMap((chunk) => [...chunk])));
  }

  it.each([1, 2, 7, 36, 1000])(
    "begins at the first line that is new enough, in chunks of %i bytes",
    async (size) => {
      const old = `${stamp(1)}  ä\n${stamp(4)}  b\n`;
      const kept = `${stamp(5)}  ü\n${stamp(2)}  the clock went back\nno time\nnot ended`;
      expect(await filter(old + kept, size)).toBe(kept);
    },
  );

  it("keeps nothing when all is older", async () => {
    expect(await filter(`${stamp(1)}  a\n${stamp(4)}  b\n`)).toBe("");
    expect(await filter("")).toBe("");
  });

  it("refuses a log whose lines have no time, instead of showing nothing", async () => {
    await expect(filter("hello\nworld\n")).rejects.toThrow("lines that start with no time");
  });
});

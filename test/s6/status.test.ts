import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_EXIT_POLICY } from "../../src/gateway/exit_policy.ts";
import {
  parseStatusRecord,
  parseSvstat,
  type RecordLayout,
  type S6Record,
  type StatusFacts,
  statusOf,
  SVSTAT_FIELDS,
} from "../../src/s6/status.ts";

interface Sample {
  readonly state: string;
  readonly record: string;
  readonly svstat: string;
  readonly since: string;
}

interface Recording {
  readonly s6: string;
  readonly recordSize: number;
  readonly fields: string;
  readonly samples: readonly Sample[];
}

const fixtures = new URL("../fixtures/s6-status/", import.meta.url);
const recordings: readonly Recording[] = readdirSync(fixtures).filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, fixtures), "utf8")));

const layoutOf = ({ s6 }: Recording): RecordLayout => s6.startsWith("2.10.") ? "2.10" : "2.11";
const bytesOf = ({ record }: Sample): Uint8Array => Uint8Array.from(Buffer.from(record, "hex"));

/** What s6-svstat said, by field. */
function saidOf({ fields }: Recording, { svstat }: Sample): Record<string, string> {
  const values = svstat.split(" ");
  return Object.fromEntries(fields.split(",").map((field, index) => [field, values[index] ?? ""]));
}

/** What is to be read from a sample, by what the same s6 said in words. */
function expectedOf(recording: Recording, sample: Sample): S6Record {
  const said = saidOf(recording, sample);
  const neverStarted = sample.state.startsWith("never-started");
  return {
    up: said["up"] === "true",
    wantUp: said["wantedup"] === "true",
    ready: said["ready"] === "true",
    paused: said["paused"] === "true",
    finishing: sample.state.startsWith("finishing"),
    neverStarted,
    pid: said["pid"] === "-1" ? null : Number(said["pid"]),
    since: new Date(`${sample.since.slice(0, 23).replace(" ", "T")}Z`),
    exitCode: said["exitcode"] === "-1" || neverStarted ? null : Number(said["exitcode"]),
    signal: said["signal"] === "NA" ? null : said["signal"] ?? "",
  };
}

const samples = recordings.flatMap((recording) =>
  recording.samples.map((sample) => ({ s6: recording.s6, state: sample.state, recording, sample }))
);

describe("the recordings", () => {
  it("are of four versions of s6, with the same states in each", () => {
    expect(recordings.map(({ s6 }) => s6).sort()).toEqual(["2.10.0.2", "2.11.3.2", "2.13.1.0", "2.15.1.0"]);
    const [first, ...others] = recordings.map((recording) => recording.samples.map(({ state }) => state));
    expect(first).toHaveLength(22);
    for (const states of others) expect(states).toEqual(first);
  });
});

describe("parseStatusRecord", () => {
  it.each(samples)("reads what s6 $s6 said of a service that is $state", ({ recording, sample }) => {
    expect(bytesOf(sample)).toHaveLength(recording.recordSize);
    expect(parseStatusRecord(bytesOf(sample), layoutOf(recording))).toEqual(expectedOf(recording, sample));
  });

  it("reads the same bytes as running since 2.11 and as stopping before", () => {
    const running = record("2.11.3.2", "up");
    expect(parseStatusRecord(running, "2.11")).toMatchObject({ up: true, wantUp: true });
    expect(parseStatusRecord(running, "2.10")).toMatchObject({ up: true, wantUp: false });
  });

  it("reads how a process ended for which no finish script could be started", () => {
    const bytes = record("2.11.3.2", "parked");
    bytes.copyWithin(12, 0, 12);
    expect(parseStatusRecord(bytes, "2.11")).toMatchObject({ neverStarted: false, exitCode: 78 });
  });

  it("reads a process that is up as started, even in the moment in which s6-supervise itself came up", () => {
    const bytes = record("2.11.3.2", "up");
    bytes.copyWithin(12, 0, 12);
    expect(parseStatusRecord(bytes, "2.11")).toMatchObject({ up: true, neverStarted: false });
  });

  it("reads a record that is a part of a larger buffer", () => {
    const bytes = record("2.11.3.2", "up");
    const larger = new Uint8Array(100).fill(255);
    larger.set(bytes, 7);
    expect(parseStatusRecord(larger.subarray(7, 7 + bytes.length), "2.11")).toEqual(
      parseStatusRecord(bytes, "2.11"),
    );
  });

  it("reads the signal of a process that left a core", () => {
    const bytes = record("2.11.3.2", "killed-9-down");
    bytes[33] = 0x80 | 11;
    expect(parseStatusRecord(bytes, "2.11")).toMatchObject({ signal: "SIGSEGV", exitCode: null });
  });

  it("names a signal that has only a number", () => {
    const bytes = record("2.11.3.2", "killed-9-down");
    bytes[33] = 34;
    expect(parseStatusRecord(bytes, "2.11")).toMatchObject({ signal: "signal 34" });
  });

  it.each([0, 1, 18, 34, 36, 42, 44, 64])("knows no record of %i bytes", (size) => {
    expect(parseStatusRecord(new Uint8Array(size), "2.11")).toBeUndefined();
  });

  it("knows no record whose time is before 1970 or beyond what a date can hold", () => {
    expect(parseStatusRecord(new Uint8Array(35), "2.11")).toBeUndefined();
    expect(parseStatusRecord(new Uint8Array(35).fill(255), "2.11")).toBeUndefined();
    const year1969 = record("2.11.3.2", "up");
    year1969.set([0x3f, 255, 255, 255, 255, 255, 0, 0]);
    expect(parseStatusRecord(year1969, "2.11")).toBeUndefined();
  });

  it("never throws, whatever the bytes, and neither does statusOf on what it read", () => {
    // A time that is plausible in half of the cases; else next to none would be.
    const prefix = fc.constantFrom([], [0x40, 0, 0, 0], [0x40, 0, 0, 0x01]);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      ...[35, 43].map((size) =>
        fc.tuple(prefix, fc.uint8Array({ minLength: size, maxLength: size })).map(([head, rest]) =>
          Uint8Array.from([...head, ...rest.slice(head.length)])
        )
      ),
    );
    let read = 0;
    fc.assert(
      fc.property(bytes, fc.constantFrom<RecordLayout>("2.10", "2.11"), (some, layout) => {
        const record = parseStatusRecord(some, layout);
        if (record === undefined) return;
        read++;
        const status = statusOf({ ...facts, record });
        expect(status.uptimeSeconds ?? 0).toBeGreaterThanOrEqual(0);
        expect(JSON.parse(JSON.stringify(status))).toEqual(status);
      }),
      { numRuns: 1000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});

describe("parseSvstat", () => {
  /** The answer of that s6 to SVSTAT_FIELDS. */
  function answerOf(recording: Recording, sample: Sample): string {
    const said = saidOf(recording, sample);
    return SVSTAT_FIELDS.map((field) => said[field]).join(" ") + "\n";
  }

  it("asks only for fields that every version has", () => {
    for (const { fields } of recordings) {
      expect(fields.split(",")).toEqual(expect.arrayContaining([...SVSTAT_FIELDS]));
    }
  });

  it.each(samples)("reads what s6 $s6 answers for a service that is $state", ({ recording, sample }) => {
    expect(parseSvstat(answerOf(recording, sample))).toEqual(expectedOf(recording, sample));
  });

  it.each([
    "",
    "\n",
    "up (pid 14) 3 seconds",
    "true true false false 14 -1 -1 @400000006b0ef1be305e91bc",
    "true true false false 14 -1 -1 @400000006b0ef1be305e91bc @400000006b0ef1be30428587 more",
    "true true false false x -1 -1 @400000006b0ef1be305e91bc @400000006b0ef1be30428587",
    "true true false false 14 -1 -1 @ffffffffffffffffffffffff @400000006b0ef1be30428587",
  ])("knows no answer in %j", (text) => {
    expect(parseSvstat(text)).toBeUndefined();
  });

  it("never throws, whatever the text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(parseSvstat(text)).toBeUndefined();
    }));
  });
});

/** A copy of the record of that state, as that s6 wrote it. */
function record(s6: string, state: string): Uint8Array {
  const found = samples.find((one) => one.s6 === s6 && one.state === state);
  if (found === undefined) throw new Error(`no recording of ${state} by s6 ${s6}`);
  return bytesOf(found.sample);
}

/** What is read from the record of that state, as s6 2.11.3.2 wrote it. */
function read(state: string): S6Record {
  const found = parseStatusRecord(record("2.11.3.2", state), "2.11");
  if (found === undefined) throw new Error(`the record of ${state} cannot be read`);
  return found;
}

const facts: StatusFacts = {
  profile: "coder",
  service: "gateway-coder",
  scope: "system",
  exitPolicy: DEFAULT_EXIT_POLICY,
  registered: true,
  supervised: true,
  normallyUp: true,
  desired: "running",
  log: "/opt/data/logs/gateways/coder",
  now: new Date("2026-12-01T17:00:00Z"),
};

describe("statusOf", () => {
  const cases: readonly [string, string, string, Partial<StatusFacts>][] = [
    ["running", "is up and wanted up", "up", {}],
    ["running", "is up, its notification still to come", "up-not-ready", {}],
    ["running", "is up and ready", "up-ready", {}],
    ["running", "is up, although it would not start by itself", "up-normally-down", { normallyUp: false }],
    ["running", "is paused", "paused", {}],
    ["stopping", "is up and wanted down", "stopping", { desired: "stopped" }],
    ["stopping", "is paused and wanted down", "paused-wanted-down", {}],
    ["stopping", "is up, not to be started again", "up-once", {}],
    ["stopping", "has ended, its finish script still at work", "finishing-wanted-down", {}],
    ["starting", "has never been started and is wanted up", "never-started-wanted", {}],
    ["backoff", "has exited and is about to be started again", "exited-1-backoff", {}],
    ["backoff", "was killed and is about to be started again", "killed-9-backoff", {}],
    ["backoff", "has exited, its finish script still at work", "finishing", {}],
    ["parked", "has exited with 78", "parked", {}],
    ["parked", "has exited with 0", "parked-0", {}],
    ["parked", "has exited with 78, no intent known", "parked", { desired: null }],
    ["stopped", "has exited with 0 after a stop", "parked-0", { desired: "stopped" }],
    ["stopped", "has exited with 78 and would not start by itself", "parked", { normallyUp: false }],
    ["stopped", "has exited with a code that does not park", "parked", { exitPolicy: {} }],
    ["stopped", "is down after a signal", "down-by-svc", {}],
    ["stopped", "is down after a signal, its finish script against a restart", "parked-signal", {}],
    ["stopped", "has never been started and is not wanted up", "never-started", {}],
  ];

  it.each(cases)("says %s of a service that %s", (state, _, sample, changes) => {
    expect(statusOf({ ...facts, record: read(sample), ...changes }).state).toBe(state);
  });

  it("says the same of a state whichever s6 has recorded it", () => {
    for (const state of samples.map((one) => one.state)) {
      const states = samples.filter((one) => one.state === state).map(({ recording, sample }) =>
        statusOf({ ...facts, record: parseStatusRecord(bytesOf(sample), layoutOf(recording)) }).state
      );
      expect([state, new Set(states).size]).toEqual([state, 1]);
    }
  });

  it("says unknown of a supervised service whose record cannot be read", () => {
    expect(statusOf(facts)).toMatchObject({ state: "unknown", supervised: true, pid: null, wantUp: null });
  });

  it("says unregistered of a profile without a slot, and nothing else of s6", () => {
    expect(statusOf({ ...facts, registered: false, supervised: false, record: read("up") })).toEqual({
      manager: "s6",
      scope: "system",
      profile: "coder",
      service: "gateway-coder",
      state: "unregistered",
      pid: null,
      since: null,
      uptimeSeconds: null,
      desired: "running",
      enabled: null,
      wantUp: null,
      ready: null,
      exitCode: null,
      signal: null,
      restarts: null,
      parkedReason: null,
      log: "/opt/data/logs/gateways/coder",
      supervised: false,
    });
  });

  it("says stopped of a slot without a supervisor and trusts no record that is left there", () => {
    expect(statusOf({ ...facts, supervised: false, record: read("up") })).toMatchObject({
      state: "stopped",
      pid: null,
      since: null,
      uptimeSeconds: null,
      enabled: true,
      wantUp: null,
      supervised: false,
    });
  });

  it("says all that s6 knows of a running service", () => {
    const record: S6Record = {
      ...read("up-ready"),
      pid: 42,
      since: new Date("2026-12-01T16:58:59.500Z"),
    };
    expect(statusOf({ ...facts, scope: "user", record })).toEqual({
      manager: "s6",
      scope: "user",
      profile: "coder",
      service: "gateway-coder",
      state: "running",
      pid: 42,
      since: "2026-12-01T16:58:59.500Z",
      uptimeSeconds: 60,
      desired: "running",
      enabled: true,
      wantUp: true,
      ready: true,
      exitCode: null,
      signal: null,
      restarts: null,
      parkedReason: null,
      log: "/opt/data/logs/gateways/coder",
      supervised: true,
    });
  });

  it("says why a parked service is parked", () => {
    expect(statusOf({ ...facts, record: read("parked") })).toMatchObject({
      exitCode: 78,
      parkedReason: "exit code 78: configuration error (EX_CONFIG)",
      uptimeSeconds: null,
      wantUp: false,
    });
  });

  it("gives no reason for a service that is stopped", () => {
    expect(statusOf({ ...facts, record: read("parked"), desired: "stopped" })).toMatchObject({
      exitCode: 78,
      parkedReason: null,
    });
  });

  it("says which signal ended a process", () => {
    expect(statusOf({ ...facts, record: read("killed-9-backoff") })).toMatchObject({
      exitCode: null,
      signal: "SIGKILL",
    });
  });

  it("counts no time when the clock was set back", () => {
    const now = new Date("2026-01-01T00:00:00Z");
    expect(statusOf({ ...facts, now, record: read("up") }).uptimeSeconds).toBe(0);
  });
});

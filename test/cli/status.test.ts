import { describe, expect, it } from "vitest";
import { exitCodeOfStatus } from "../../src/cli/exit_codes.ts";
import { formatDuration, formatStatuses } from "../../src/cli/format_status.ts";
import { UnsupportedError } from "../../src/errors.ts";
import type { State, Status } from "../../src/manager.ts";
import { FakeManager, gatewarden, statusOf } from "./harness.ts";

const RUNNING = statusOf("coder", {
  state: "running",
  pid: 4711,
  since: "2026-01-02T03:04:05.678Z",
  uptimeSeconds: 3725,
});
const PARKED = statusOf("default", {
  state: "parked",
  since: "2026-01-02T03:04:05.678Z",
  exitCode: 78,
  parkedReason: "exit code 78: configuration error (EX_CONFIG)",
});

function managerOf(...statuses: Status[]): FakeManager {
  const manager = new FakeManager(...statuses.map(({ profile }) => profile));
  for (const status of statuses) manager.statuses.set(status.profile, status);
  return manager;
}

describe("status", () => {
  it("prints a table of all registered profiles, and exits 0 whatever they do", async () => {
    expect(await gatewarden(managerOf(RUNNING, PARKED), ["status"])).toMatchObject({
      exitCode: 0,
      stdout: "PROFILE  STATE    PID   SINCE                 UPTIME  EXIT  REASON\n" +
        "coder    running  4711  2026-01-02T03:04:05Z  1h 2m\n" +
        "default  parked         2026-01-02T03:04:05Z          78    exit code 78: configuration error (EX_CONFIG)\n",
    });
  });

  it.each<[State, number]>([
    ["running", 0],
    ["starting", 0],
    ["stopping", 0],
    ["backoff", 3],
    ["stopped", 3],
    ["parked", 3],
    ["failed", 3],
    ["unregistered", 4],
    ["unknown", 4],
  ])("of one that is %s exits %i", async (state, exitCode) => {
    expect(await gatewarden(managerOf(statusOf("a", { state })), ["status", "a"])).toMatchObject({
      exitCode,
    });
  });

  it("of several exits with the highest code of theirs", () => {
    expect(exitCodeOfStatus([RUNNING, PARKED, RUNNING])).toBe(3);
    expect(exitCodeOfStatus([PARKED, statusOf("x", { state: "unknown" }), RUNNING])).toBe(4);
  });

  it("goes on after one that cannot be read", async () => {
    const manager = managerOf(RUNNING, PARKED);
    const read = manager.status.bind(manager);
    manager.status = (profile) =>
      profile === "coder" ? Promise.reject(new UnsupportedError("Cannot look.")) : read(profile);
    const result = await gatewarden(manager, ["status", "coder", "default", "--json"]);
    expect(result.exitCode).toBe(3);
    expect(JSON.parse(result.stdout)).toEqual([PARKED]);
    expect(JSON.parse(result.stderr)).toEqual({
      error: { code: "unsupported", message: "Cannot look.", hint: "", profile: "coder" },
    });
  });

  it("prints an array with --json, also of one", async () => {
    const { stdout } = await gatewarden(managerOf(RUNNING), ["status", "coder", "--json"]);
    expect(JSON.parse(stdout)).toEqual([RUNNING]);
  });
});

describe("formatStatuses", () => {
  it("names the signal that killed a gateway, and leaves out what no line has", () => {
    const killed = statusOf("a", { state: "backoff", signal: "SIGKILL" });
    expect(formatStatuses([killed], (_, text) => text)).toBe(
      "PROFILE  STATE    EXIT\na        backoff  SIGKILL\n",
    );
  });

  it("colours the state alone, and aligns as without colour", () => {
    const text = formatStatuses([RUNNING, PARKED], (style, cell) => `<${style}>${cell}</${style}>`);
    expect(text).toContain("coder    <green>running</green>  4711");
    expect(text).toContain("default  <red>parked</red>         2026");
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0s"],
    [0.9, "0s"],
    [59, "59s"],
    [60, "1m"],
    [3599, "59m 59s"],
    [3600, "1h"],
    [86400 + 59, "1d"],
    [90061, "1d 1h"],
    [-5, "0s"],
  ])("of %d s is %s", (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});

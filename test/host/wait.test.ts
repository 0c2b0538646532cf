import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { TimeoutError } from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import type { Condition } from "../../src/manager.ts";
import { temporaryFolder, writeProgram } from "../temporary_folder.ts";

const LONG_MS = 3_000;

let slot: string;
const control = (): string => join(slot, "supervise/control");

beforeEach(() => {
  slot = join(temporaryFolder(), "gateway-coder");
  mkdirSync(join(slot, "supervise"), { recursive: true });
});

function wait(until: Condition, timeoutMs: number): Promise<unknown> {
  return execute({
    verb: "restart",
    profile: "coder",
    service: "gateway-coder",
    steps: [{ do: "wait", until, timeoutMs }],
  });
}

async function timeUp(until: Condition): Promise<TimeoutError> {
  const start = Date.now();
  const error: unknown = await wait(until, 100).catch((error) => error);
  expect(Date.now() - start).toBeGreaterThanOrEqual(100);
  if (error instanceof TimeoutError) return error;
  throw new Error(`not a time-out: ${error}`);
}

/** Whether the wait is still on after it has had time to look a few times. */
async function isWaiting(wait: Promise<unknown>): Promise<boolean> {
  return await Promise.race([wait.then(() => false), delay(60, true)]);
}

/** Reads from the control FIFO, as an s6-supervise does. */
function supervise(): { readonly end: () => void } {
  execFileSync("mkfifo", [control()]);
  const file = openSync(control(), constants.O_RDONLY | constants.O_NONBLOCK);
  return { end: () => closeSync(file) };
}

const writeRecord = (): void => writeFileSync(join(slot, "supervise/status"), "");

describe("a wait for a supervisor", () => {
  const until = (): Condition => ({ kind: "supervised", directory: slot });

  it("ends at once when there is one", async () => {
    const supervisor = supervise();
    onTestFinished(supervisor.end);
    writeRecord();
    await wait(until(), LONG_MS);
  });

  it("goes on until it reads commands and has written its record", async () => {
    const waiting = wait(until(), LONG_MS);
    expect(await isWaiting(waiting)).toBe(true);
    onTestFinished(supervise().end);
    expect(await isWaiting(waiting)).toBe(true);
    writeRecord();
    await waiting;
  });

  it("is not deceived by a record that a supervisor left", async () => {
    supervise().end();
    writeRecord();
    const error = await timeUp(until());
    expect(error.message).toBe(
      `Cannot restart gateway-coder within 0.1 s: no s6-supervise took up ${slot}.`,
    );
    expect(error).toMatchObject({ limitMs: 100, exitCode: 1 });
  });
});

describe("a wait for the end of a supervisor", () => {
  const until = (): Condition => ({ kind: "unsupervised", directory: slot });

  it("ends at once when there is none, not even a folder", async () => {
    await wait(until(), LONG_MS);
    rmSync(slot, { recursive: true });
    await wait(until(), LONG_MS);
  });

  it("goes on until nobody reads commands any more", async () => {
    const supervisor = supervise();
    const waiting = wait(until(), LONG_MS);
    expect(await isWaiting(waiting)).toBe(true);
    supervisor.end();
    await waiting;
  });

  it("does not take what it cannot tell for the end", async () => {
    mkdirSync(control());
    expect((await timeUp(until())).stillThere).toBe(`an s6-supervise still runs on ${slot}`);
  });
});

describe("a wait through s6-svstat", () => {
  const EARLIER = "@400000006b0ef1b4075409d4";
  const LATER = "@400000006b0ef1b4078e5210";
  const answers = {
    up: `true ${EARLIER} ${EARLIER}`,
    finishing: `false ${LATER} ${EARLIER}`,
    down: `false ${EARLIER} ${LATER}`,
    "never started": `false ${EARLIER} ${EARLIER}`,
  };

  /** A program that says the next thing each time it is called, and the last from then on. */
  function svstat(...states: (keyof typeof answers)[]): string {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "answers"), states.map((state) => `${answers[state]}\n`).join(""));
    return writeProgram(
      join(folder, "s6-svstat"),
      `[ "$*" = "-o up,updownsince,readysince ${slot}" ] || exit 100`,
      `cd ${folder}`,
      'read -r answer <answers && echo "$answer"',
      '[ "$(wc -l <answers)" = 1 ] || sed -i 1d answers',
    );
  }

  it("for up ends when the service is", async () => {
    await wait({ kind: "up", directory: slot, svstat: svstat("down", "down", "up") }, LONG_MS);
  });

  it("for down ends when the service is", async () => {
    await wait({ kind: "down", directory: slot, svstat: svstat("up", "up", "down") }, LONG_MS);
    await wait({ kind: "down", directory: slot, svstat: svstat("never started") }, LONG_MS);
  });

  it("for down goes on while the finish script runs: it may still refuse what is asked for next", async () => {
    const error = await timeUp({ kind: "down", directory: slot, svstat: svstat("up", "finishing") });
    expect(error.stillThere).toBe("the gateway still runs");
    await wait({ kind: "down", directory: slot, svstat: svstat("finishing", "finishing", "down") }, LONG_MS);
  });

  it("says what is still so when its time is up", async () => {
    expect((await timeUp({ kind: "up", directory: slot, svstat: svstat("down") })).message).toBe(
      "Cannot restart gateway-coder within 0.1 s: the gateway is not up.",
    );
  });

  it.each(["up", "down"] as const)(
    "for %s does not take a failure of s6-svstat for an answer",
    async (kind) => {
      const failing = writeProgram(join(slot, "s6-svstat"), "echo false @4 @4", "exit 1");
      await timeUp({ kind, directory: slot, svstat: failing });
    },
  );
});

import { describe, expect, it } from "vitest";
import { type GatewayDefinition, HERMES } from "../../src/gateway/definition.ts";
import type { VerbOptions } from "../../src/manager.ts";
import { planRestart, planStart, planStop, planUnregister } from "../../src/s6/plan.ts";
import { type S6Context, stopLimitMs } from "../../src/s6/steps.ts";
import { briefly, byGroup, context, DESIRED, fileText, MARKER, SLOT, slot, steps } from "./plan_context.ts";

describe("planStart", () => {
  it("lets it up, asks for it, waits, sees that it stays up, and records the intent last", () => {
    expect(briefly(planStart(context, { ...slot, down: true }))).toEqual([
      `remove ${SLOT}/down`,
      `s6-svc -wu -T 10000 -u ${SLOT}`,
      `s6-svwait -D -t 500 ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });

  it("puts the down file back when it fails", () => {
    const plan = planStart(context, { ...slot, down: true });
    expect(plan.steps[0]?.undo).toEqual([{ do: "write", path: `${SLOT}/down`, mode: 0o644, text: "" }]);
  });

  it("touches no down file that is not there", () => {
    expect(briefly(planStart(context, slot))[0]).toBe(`s6-svc -wu -T 10000 -u ${SLOT}`);
  });

  it("takes a service that is still up at the end of the settling time for started, and one that is down not", () => {
    expect(steps(planStart(context, slot), "s6-svwait")).toMatchObject([
      { okCodes: [99], failures: { 0: { is: "gateway" } } },
    ]);
  });

  it("records that it is to run", () => {
    expect(fileText(planStart(context, slot), DESIRED)).toEqual({
      desired: "running",
      since: "2026-01-02T03:04:05.678Z",
      by: "start",
    });
  });
});

describe("planStop", () => {
  it("announces the stop, keeps it down, asks it to end, waits, and records the intent last", () => {
    expect(briefly(planStop(context, slot))).toEqual([
      `replace ${MARKER}`,
      `write ${SLOT}/down`,
      `s6-svc -wD -T 80000 -d ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });

  it("takes the down file away when it fails, and only one it has written itself", () => {
    expect(steps(planStop(context, slot), "write")[0]?.undo).toEqual([{
      do: "remove",
      path: `${SLOT}/down`,
    }]);
    expect(briefly(planStop(context, { ...slot, down: true }))).not.toContain(`write ${SLOT}/down`);
  });

  it("names in the marker the process that is stopped, since when it runs, and who stops it", () => {
    expect(fileText(planStop(context, slot), MARKER)).toEqual({
      target_pid: 100,
      target_start_time: 2000,
      stopper_pid: 200,
      written_at: "2026-01-02T03:04:05.678+00:00",
    });
  });

  it("announces nothing when there is no process to stop", () => {
    expect(briefly(planStop(context, { ...slot, process: undefined }))).not.toContain(`replace ${MARKER}`);
  });
});

describe("planRestart", () => {
  it("stops and waits, and only then starts: a new process whatever it was before", () => {
    expect(briefly(planRestart(context, { ...slot, down: true }))).toEqual([
      `s6-svc -wD -T 80000 -d ${SLOT}`,
      `remove ${SLOT}/down`,
      `s6-svc -wu -T 10000 -u ${SLOT}`,
      `s6-svwait -D -t 500 ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });

  it("waits for the stop even when it is not to wait for the start", () => {
    expect(briefly(planRestart(context, slot, { wait: false }))).toEqual([
      `s6-svc -wD -T 80000 -d ${SLOT}`,
      `s6-svc -u ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });

  it("is no planned stop: it is wanted up again", () => {
    expect(fileText(planRestart(context, slot), MARKER)).toBeUndefined();
    expect(fileText(planRestart(context, slot), DESIRED)).toMatchObject({
      desired: "running",
      by: "restart",
    });
  });
});

describe("--no-wait", () => {
  it("asks and returns: nothing is waited for, and the intent is recorded all the same", () => {
    const options: VerbOptions = { wait: false };
    expect(briefly(planStart(context, slot, options))).toEqual([`s6-svc -u ${SLOT}`, `replace ${DESIRED}`]);
    expect(briefly(planStop(context, slot, options))).toEqual([
      `replace ${MARKER}`,
      `write ${SLOT}/down`,
      `s6-svc -d ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
    expect(briefly(planStop(context, byGroup, options))).toEqual([
      `replace ${MARKER}`,
      `s6-svc -d ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });
});

describe("a caller with access by group alone", () => {
  it("waits without listening to the slot's events, and leaves its down file alone", () => {
    expect(briefly(planStart(context, { ...byGroup, down: true }))).toEqual([
      `s6-svc -u ${SLOT}`,
      `wait up ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
    expect(briefly(planStop(context, byGroup))).toEqual([
      `replace ${MARKER}`,
      `s6-svc -d ${SLOT}`,
      `wait down ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
    expect(briefly(planRestart(context, { ...byGroup, down: true }))).toEqual([
      `s6-svc -d ${SLOT}`,
      `wait down ${SLOT}`,
      `s6-svc -u ${SLOT}`,
      `wait up ${SLOT}`,
      `replace ${DESIRED}`,
    ]);
  });
});

describe("the time limit", () => {
  const patient: GatewayDefinition = {
    ...HERMES,
    stop: { signal: "SIGTERM", drainSeconds: 600, graceSeconds: 30 },
  };
  const patiently: S6Context = { ...context, definition: patient };

  it("of a stop is the definition's stop budget, and then the finish script and a margin", () => {
    expect(stopLimitMs(HERMES)).toBe(80_000);
    expect(stopLimitMs(patient)).toBe(640_000);
    expect(briefly(planStop(patiently, slot))).toContain(`s6-svc -wD -T 640000 -d ${SLOT}`);
    expect(briefly(planUnregister(patiently, slot))).toContain(`s6-svc -wD -T 640000 -d ${SLOT}`);
    expect(steps(planStop(patiently, byGroup), "wait")).toMatchObject([{ timeoutMs: 640_000 }]);
  });

  it("of a start is 10 s, however long a stop may take", () => {
    expect(briefly(planStart(patiently, slot))[0]).toBe(`s6-svc -wu -T 10000 -u ${SLOT}`);
    expect(steps(planStart(patiently, byGroup), "wait")).toMatchObject([{ timeoutMs: 10_000 }]);
  });

  it("is the caller's when there is one", () => {
    const options: VerbOptions = { timeoutMs: 2500 };
    expect(briefly(planStop(context, slot, options))).toContain(`s6-svc -wD -T 2500 -d ${SLOT}`);
    expect(briefly(planStart(context, slot, options))).toContain(`s6-svc -wu -T 2500 -u ${SLOT}`);
    expect(steps(planStop(context, byGroup, options), "wait")).toMatchObject([{ timeoutMs: 2500 }]);
  });

  it("leaves s6-svc the time to say so itself, and is named then", () => {
    expect(steps(planStop(context, slot), "s6-svc")).toMatchObject([{
      timeoutMs: 85_000,
      failures: { 99: { is: "timeout", limitMs: 80_000, stillThere: "the gateway still runs" } },
    }]);
    expect(steps(planStart(context, slot), "s6-svc")).toMatchObject([{
      timeoutMs: 15_000,
      failures: { 99: { is: "timeout", limitMs: 10_000, stillThere: "the gateway is not up" } },
    }]);
  });

  it.each([[0, 1], [0.4, 1], [0.5, 1], [1500.2, 1501]])(
    "of %d ms is one that s6-svc takes: a whole number, and 0 would be for ever",
    (timeoutMs, whole) => {
      expect(briefly(planStart(context, slot, { timeoutMs }))).toContain(`s6-svc -wu -T ${whole} -u ${SLOT}`);
    },
  );
});

describe("where no supervisor runs", () => {
  it.each([["start", planStart(context, slot)], ["stop", planStop(context, slot)]])(
    "%s says so, and how to mend it, on every version of s6",
    (_, plan) => {
      const hint = `No s6-supervise runs on ${SLOT}. Is an s6-svscan running on /run/service? ` +
        "It looks again on: s6-svscanctl -a /run/service";
      expect(steps(plan, "s6-svc")).toMatchObject([
        { failures: { 100: { is: "command", hint }, 102: { is: "command", hint } } },
      ]);
    },
  );
});

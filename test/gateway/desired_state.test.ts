import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DESIRED_STATE_FILE,
  desiredStateFile,
  gatewayStateFields,
  PLANNED_STOP_FILE,
  plannedStopMarker,
  readDesiredState,
} from "../../src/gateway/desired_state.ts";

const NOW = new Date("2026-01-02T03:04:05.678Z");

describe("desiredStateFile", () => {
  it("is one line of JSON under its own name: what is wanted, since when, and by which verb", () => {
    expect(desiredStateFile("running", "start", NOW)).toEqual({
      name: ".gatewarden.json",
      text: '{"desired":"running","since":"2026-01-02T03:04:05.678Z","by":"start"}\n',
    });
    expect(DESIRED_STATE_FILE).toBe(".gatewarden.json");
  });
});

/** Texts that say nothing, which the service user may have written. */
const NOTHING: readonly (string | undefined)[] = [
  undefined,
  "",
  "running",
  '"running"',
  "null",
  "1",
  "[]",
  "{}",
  '{"desired":null,"desired_state":null,"gateway_state":null}',
  '{"desired":["running"],"desired_state":["running"],"gateway_state":["running"]}',
  '{"desired":"RUNNING","desired_state":"RUNNING","gateway_state":"RUNNING"}',
  '{"desired":"draining","desired_state":"draining"}',
  '{"desired":"running","desired_state":"running","gateway_state":"running"',
  '{"state":"running"}',
  '{"__proto__":{"desired":"running","desired_state":"running","gateway_state":"running"}}',
  '[{"desired":"running"}]',
  "\ufffd",
];

describe("readDesiredState", () => {
  it.each(["running", "stopped"] as const)("reads what was written: %s", (desired) => {
    expect(readDesiredState({ own: desiredStateFile(desired, "start", NOW).text })).toBe(desired);
    expect(readDesiredState({ gatewayState: JSON.stringify(gatewayStateFields(desired)) })).toBe(desired);
  });

  it.each<[string, string | undefined, string | undefined, string | null]>([
    ["our file wins", '{"desired":"stopped"}', '{"desired_state":"running"}', "stopped"],
    ["our file wins", '{"desired":"running"}', '{"desired_state":"stopped"}', "running"],
    ["else theirs", undefined, '{"desired_state":"stopped","gateway_state":"running"}', "stopped"],
    ["else theirs", undefined, '{"desired_state":"running","gateway_state":"stopped"}', "running"],
    ["also when ours says nothing", '{"desired":', '{"desired_state":"running"}', "running"],
    ["else what was true", undefined, '{"gateway_state":"running"}', "running"],
    ["else what was true", undefined, '{"gateway_state":"stopped"}', "stopped"],
    ["draining is a way to run", undefined, '{"gateway_state":"draining"}', "running"],
    ["degraded is a way to run", undefined, '{"gateway_state":"degraded"}', "running"],
    ["a wish counts first", undefined, '{"desired_state":"stopped","gateway_state":"draining"}', "stopped"],
    ["an unknown wish is none", undefined, '{"desired_state":"?","gateway_state":"degraded"}', "running"],
    ["an unknown state is none", undefined, '{"gateway_state":"starting"}', null],
    ["each file has its own fields", '{"desired_state":"running"}', '{"desired":"running"}', null],
  ])("%s: %j and %j", (_, own, gatewayState, desired) => {
    expect(readDesiredState({ own, gatewayState })).toBe(desired);
  });

  it.each(NOTHING)("knows nothing of %j", (text) => {
    expect(readDesiredState({ own: text, gatewayState: text })).toBeNull();
  });

  it("never throws, and takes theirs into account only when ours says nothing", () => {
    const text = fc.option(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.record({
          desired: fc.constantFrom("running", "stopped", "draining"),
          desired_state: fc.constantFrom("running", "stopped", "draining"),
          gateway_state: fc.constantFrom("running", "stopped", "draining", "degraded", "starting"),
        }, { requiredKeys: [] }).map((document) => JSON.stringify(document)),
      ),
      { nil: undefined },
    );
    fc.assert(fc.property(text, text, (own, gatewayState) => {
      const desired = readDesiredState({ own, gatewayState });
      expect(["running", "stopped", null]).toContain(desired);
      expect(desired).toBe(readDesiredState({ own }) ?? readDesiredState({ gatewayState }));
    }));
  });
});

describe("plannedStopMarker", () => {
  it("is one line of JSON under the name Hermes looks for: which process, and who stops it", () => {
    expect(plannedStopMarker({ pid: 100, startTime: 2000 }, 200, NOW)).toEqual({
      name: ".gateway-planned-stop.json",
      text: '{"target_pid":100,"target_start_time":2000,"stopper_pid":200,' +
        '"written_at":"2026-01-02T03:04:05.678+00:00"}\n',
    });
    expect(PLANNED_STOP_FILE).toBe(".gateway-planned-stop.json");
  });

  it("gives the time in a form that Python's datetime.fromisoformat takes in every version: without a Z", () => {
    const { text } = plannedStopMarker({ pid: 1, startTime: 1 }, 1, NOW);
    expect(JSON.parse(text).written_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });
});

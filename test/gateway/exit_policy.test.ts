import { describe, expect, it } from "vitest";
import { DEFAULT_EXIT_POLICY, exitCodes, exitRule } from "../../src/gateway/exit_policy.ts";

describe("the default exit policy", () => {
  it.each([[0, "park"], [78, "park"], [75, "restart"], [1, "restart"], [255, "restart"]])(
    "after exit code %i: %s",
    (exitCode, action) => {
      expect(exitRule(DEFAULT_EXIT_POLICY, exitCode).action).toBe(action);
    },
  );

  it("restarts after a signal, whatever s6 or a shell calls it", () => {
    for (const exitCode of [256, 128 + 9, 128 + 15]) {
      expect(exitRule(DEFAULT_EXIT_POLICY, exitCode).action).toBe("restart");
    }
  });

  it("says why for people", () => {
    expect(exitRule(DEFAULT_EXIT_POLICY, 78).meaning).toBe("configuration error (EX_CONFIG)");
    expect(exitRule(DEFAULT_EXIT_POLICY, 3).meaning).toBe("ended unexpectedly");
  });
});

describe("exitCodes", () => {
  it("lists the codes of an action in rising order", () => {
    const park = { action: "park", meaning: "" } as const;
    const policy = { 100: park, 9: park, 20: { action: "restart", meaning: "" }, 0: park } as const;
    expect(exitCodes(policy, "park")).toEqual([0, 9, 100]);
    expect(exitCodes(policy, "restart")).toEqual([20]);
  });

  it("is empty when nothing parks", () => {
    expect(exitCodes({}, "park")).toEqual([]);
  });
});

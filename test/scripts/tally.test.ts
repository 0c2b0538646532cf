import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  count,
  exitCodeOf,
  formatSuite,
  formatTotal,
  type Outcome,
  parseTap,
  readSuite,
  withSuiteFailure,
} from "../../scripts/tally.ts";

const passed = (name: string): Outcome => ({ status: "passed", name, detail: "" });
const skipped = (name: string, detail: string): Outcome => ({ status: "skipped", name, detail });
const failed = (name: string, detail: string): Outcome => ({ status: "failed", name, detail });

describe("parseTap", () => {
  it("reads the numbered lines of bats", () => {
    const text = [
      "1..3",
      "ok 1 status: exits 3",
      "not ok 2 list",
      "# (in test file)",
      "#   `false' failed",
      "ok 3 x # skip no ksh",
    ];
    expect(parseTap(text.join("\n"))).toEqual([
      passed("status: exits 3"),
      failed("list", "(in test file)\n  `false' failed"),
      skipped("x", "no ksh"),
    ]);
  });

  it("reads lines without numbers or a plan", () => {
    expect(parseTap("ok - a\nnot ok - b\nok - c # SKIP\n")).toEqual([
      passed("a"),
      failed("b", ""),
      skipped("c", "no reason given"),
    ]);
  });

  it("keeps a name that starts with a number or has an escaped hash in it", () => {
    expect(parseTap("ok - 78 parks\nok - issue \\# skip this\nok 4 4 shells\n")).toEqual([
      passed("78 parks"),
      passed("issue # skip this"),
      passed("4 shells"),
    ]);
  });

  it("fails when fewer tests report than were planned", () => {
    expect(parseTap("1..2\nok 1 a\n").at(-1)).toEqual(
      failed("every planned test reports", "The plan was 2 tests, 1 reported."),
    );
  });

  it("does not take the output of a failure for a result", () => {
    expect(parseTap("not ok 1 a\n# ok 2 b\n# 1..7\n")).toEqual([failed("a", "ok 2 b\n1..7")]);
  });
});

describe("withSuiteFailure", () => {
  it("adds nothing to a suite that passed", () => {
    expect(withSuiteFailure([passed("a")], 0, "log")).toEqual([passed("a")]);
  });

  it("adds nothing to a suite that named its failure", () => {
    expect(withSuiteFailure([failed("a", "")], 1, "log")).toHaveLength(1);
  });

  it("counts a bad exit that no test accounts for, and keeps the log", () => {
    expect(withSuiteFailure([passed("a")], 139, "crashed\n").at(-1)).toEqual(
      failed("the suite exited with code 139", "crashed"),
    );
  });

  it("counts a suite that ran nothing as a failure", () => {
    expect(withSuiteFailure([], 0, "")).toEqual([failed("no tests found", "")]);
  });
});

describe("count and exitCodeOf", () => {
  const suite = (...outcomes: Outcome[]) => [{ name: "unit", seconds: 1, outcomes }];

  it("counts over all suites", () => {
    const suites = [...suite(passed("a"), failed("b", "")), ...suite(passed("c"), skipped("d", "why"))];
    expect(count(suites)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });

  it("is zero only when something passed and nothing failed", () => {
    expect(exitCodeOf(count(suite(passed("a"), skipped("b", ""))))).toBe(0);
    expect(exitCodeOf(count(suite(passed("a"), failed("b", ""))))).toBe(1);
    expect(exitCodeOf(count(suite(skipped("b", ""))))).toBe(1);
    expect(exitCodeOf(count([]))).toBe(1);
  });
});

describe("formatSuite and formatTotal", () => {
  it("prints one line for a suite that passed", () => {
    const line = formatSuite({ name: "static", seconds: 4, outcomes: [passed("a")] });
    expect(line.split(/ {2,}/)).toEqual(["static", "1 passed", "4 s"]);
  });

  it("prints the whole output of each failure", () => {
    const text = formatSuite({
      name: "bats",
      seconds: 4,
      outcomes: [passed("a"), failed("b", "one\n\ntwo")],
    });
    expect(text.split("\n").slice(1)).toEqual(["  not ok: b", "    one", "", "    two"]);
    expect(text).toContain("1 passed, 1 FAILED");
  });

  it("names skips and failures, and ends with the count alone", () => {
    const outcomes = [passed("a"), failed("b", "why"), skipped("c", "no ksh")];
    expect(formatTotal([{ name: "bats", seconds: 1, outcomes }]).split("\n")).toEqual([
      "",
      "skipped:",
      "  bats: c (no ksh)",
      "",
      "failed:",
      "  bats: b",
      "",
      "1 passed, 1 failed, 1 skipped",
    ]);
  });
});

describe("readSuite", () => {
  it("puts together what a suite left, and nothing for one that never ran", () => {
    const folder = mkdtempSync(join(tmpdir(), "tally-"));
    try {
      writeFileSync(join(folder, "bats.tap"), "ok 1 a\n");
      writeFileSync(join(folder, "bats.log"), "a warning\n");
      writeFileSync(join(folder, "bats.end"), "1 7\n");
      expect(readSuite(folder, "bats")).toEqual({
        name: "bats",
        seconds: 7,
        outcomes: [passed("a"), failed("the suite exited with code 1", "a warning")],
      });
      expect(readSuite(folder, "real")).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

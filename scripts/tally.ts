/**
 * Counts what the suites of test.sh report.
 *
 *     tally.ts suite FOLDER SUITE       one line about a suite, and everything about its failures
 *     tally.ts total FOLDER SUITE...    names failures and skips; the last line is the count
 *
 * A suite leaves SUITE.tap, SUITE.log (what else it printed) and SUITE.end ("EXIT_CODE SECONDS") in the folder.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** One test or check. `detail` is the reason of a skip, the output of a failure. */
export interface Outcome {
  readonly status: "passed" | "failed" | "skipped";
  readonly name: string;
  readonly detail: string;
}

export interface Suite {
  readonly name: string;
  readonly seconds: number;
  readonly outcomes: readonly Outcome[];
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads TAP, numbered or not. A plan that does not fit the number of tests is a failure of its own. */
export function parseTap(text: string): Outcome[] {
  const outcomes: Outcome[] = [];
  let planned: number | undefined;
  for (const line of text.split("\n")) {
    const plan = /^1\.\.(\d+)/.exec(line);
    const last = outcomes.at(-1);
    if (plan) {
      planned = Number(plan[1]);
    } else if (/^(not )?ok\b/.test(line)) {
      outcomes.push(parseTestLine(line));
    } else if (last?.status === "failed" && line !== "") {
      const detail = line.replace(/^# ?/, "");
      outcomes[outcomes.length - 1] = {
        ...last,
        detail: last.detail === "" ? detail : `${last.detail}\n${detail}`,
      };
    }
  }
  if (planned !== undefined && planned !== outcomes.length) {
    const detail = `The plan was ${planned} tests, ${outcomes.length} reported.`;
    outcomes.push({ status: "failed", name: "every planned test reports", detail });
  }
  return outcomes;
}

function parseTestLine(line: string): Outcome {
  const [, not, rest = ""] = /^(not )?ok\b(?: \d+)?(?: -)? ?(.*)$/.exec(line) ?? [];
  const [, name = rest, directive, reason = ""] = /^(.*?)(?<!\\) ?# (skip|todo)\b:? ?(.*)$/i.exec(rest) ?? [];
  const plain = name.replaceAll("\\#", "#");
  if (directive !== undefined) {
    return { status: "skipped", name: plain, detail: reason || "no reason given" };
  }
  return { status: not ? "failed" : "passed", name: plain, detail: "" };
}

/** Adds the failure of a suite that ended badly, or ran nothing, without saying so itself. */
export function withSuiteFailure(outcomes: readonly Outcome[], exitCode: number, log: string): Outcome[] {
  if (exitCode !== 0 && !outcomes.some((outcome) => outcome.status === "failed")) {
    return [...outcomes, {
      status: "failed",
      name: `the suite exited with code ${exitCode}`,
      detail: log.trimEnd(),
    }];
  }
  if (outcomes.length === 0) return [{ status: "failed", name: "no tests found", detail: log.trimEnd() }];
  return [...outcomes];
}

/** Counts the outcomes of all suites. */
export function count(suites: readonly Suite[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of suites.flatMap((suite) => suite.outcomes)) counts[outcome.status]++;
  return counts;
}

/** Zero unless something failed or nothing passed. */
export function exitCodeOf(counts: Counts): number {
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");

/** One line about the suite; below it each failure with its whole output. */
export function formatSuite(suite: Suite): string {
  const { passed, failed, skipped } = count([suite]);
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} FAILED`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const heading = `${suite.name.padEnd(10)} ${parts.join(", ").padEnd(40)} ${suite.seconds} s`;
  const failures = suite.outcomes.filter((outcome) => outcome.status === "failed");
  return [
    heading,
    ...failures.flatMap((
      { name, detail },
    ) => [`  not ok: ${name}`, ...(detail === "" ? [] : [indent(detail)])]),
  ]
    .join("\n");
}

/** The failures and skips by name, then the count, alone on the last line. */
export function formatTotal(suites: readonly Suite[]): string {
  const { passed, failed, skipped } = count(suites);
  const listed = (status: Outcome["status"], line: (suite: Suite, outcome: Outcome) => string): string[] =>
    suites.flatMap((suite) =>
      suite.outcomes.filter((outcome) => outcome.status === status).map((outcome) => line(suite, outcome))
    );
  const skips = listed("skipped", (suite, { name, detail }) => `  ${suite.name}: ${name} (${detail})`);
  const failures = listed("failed", (suite, { name }) => `  ${suite.name}: ${name}`);
  return [
    ...(skips.length > 0 ? ["", "skipped:", ...skips] : []),
    ...(failures.length > 0 ? ["", "failed:", ...failures] : []),
    "",
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join("\n");
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Reads what a suite left in the folder; undefined if it never ran. */
export function readSuite(folder: string, name: string): Suite | undefined {
  const end = readIfThere(join(folder, `${name}.end`));
  if (end === "") return undefined;
  const [exitCode = 1, seconds = 0] = end.trim().split(" ").map(Number);
  const outcomes = parseTap(readIfThere(join(folder, `${name}.tap`)));
  const log = readIfThere(join(folder, `${name}.log`));
  return { name, seconds, outcomes: withSuiteFailure(outcomes, exitCode, log) };
}

function main([command, folder = "", ...names]: string[]): number {
  const suites = names.map((name) => readSuite(folder, name)).filter((suite) => suite !== undefined);
  if (command === "suite") {
    for (const suite of suites) console.log(formatSuite(suite));
    return 0;
  }
  console.log(formatTotal(suites));
  return exitCodeOf(count(suites));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));

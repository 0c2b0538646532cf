/**
 * A vitest reporter that writes TAP to the file named by `TAP_FILE`. Vitest's own reporters leave out the reason
 * of a skip, and its JSON leaves out errors that belong to no test.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

type FailureText = { readonly stack?: string | undefined; readonly message: string };

// TAP: a "#" in a description would start a directive.
const describe = (name: string): string => name.replaceAll("\n", " ").replaceAll("#", "\\#");

function failed(name: string, errors: readonly FailureText[]): string[] {
  const text = errors.map((error) => error.stack || error.message).join("\n");
  return [`not ok - ${describe(name)}`, ...text.split("\n").map((line) => `# ${line}`)];
}

function linesOfTest(module: TestModule, test: TestCase): string[] {
  const name = `${module.relativeModuleId}: ${test.fullName}`;
  const result = test.result();
  if (result.state === "failed") return failed(name, result.errors);
  if (result.state === "passed") return [`ok - ${describe(name)}`];
  if (result.state === "skipped") {
    return [`ok - ${describe(name)} # skip ${result.note ?? "no reason given"}`];
  }
  return failed(name, [{ message: "The run ended before this test did." }]);
}

function linesOfModule(module: TestModule): string[] {
  const suites = [module, ...module.children.allSuites()];
  return [
    ...[...module.children.allTests()].flatMap((test) => linesOfTest(module, test)),
    ...suites.flatMap((suite) => {
      const errors = suite.errors();
      return errors.length === 0 ? [] : failed(`${module.relativeModuleId}: outside its tests`, errors);
    }),
  ];
}

export default class TapReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const lines = modules.flatMap(linesOfModule);
    if (unhandled.length > 0) lines.push(...failed("unhandled errors", unhandled));
    writeFileSync(process.env["TAP_FILE"] ?? "/dev/stdout", lines.join("\n") + "\n");
  }
}

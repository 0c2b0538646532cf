import { describe, expect, it } from "vitest";
import { createOutput, type OutputOptions, type Stream } from "../../src/cli/output.ts";
import { reportOf } from "../../src/cli/exit_codes.ts";
import { FileError, UsageError } from "../../src/errors.ts";

interface Recorder extends Stream {
  text: string;
  fail: (error: Error) => void;
}

function recorder(isTTY: boolean): Recorder {
  const listeners: ((error: Error) => void)[] = [];
  return {
    isTTY,
    text: "",
    write(chunk) {
      this.text += String(chunk);
    },
    on: (_, listener) => void listeners.push(listener),
    fail: (error) => listeners.forEach((listener) => listener(error)),
  };
}

function outputOf(options: OutputOptions = {}, isTTY = false) {
  const streams = { stdout: recorder(isTTY), stderr: recorder(isTTY) };
  return { ...streams, output: createOutput(streams, options) };
}

describe("createOutput", () => {
  it("colours on a terminal only, and not when colour is off", () => {
    expect(outputOf({}, true).output.style("green", "up")).toBe("\u001b[32mup\u001b[39m");
    expect(outputOf({}, false).output.style("green", "up")).toBe("up");
    expect(outputOf({ color: false }, true).output.style("green", "up")).toBe("up");
  });

  it("says errors as a message and a hint, in that order", () => {
    const { output, stdout, stderr } = outputOf();
    output.fail(new FileError("Cannot write x.", { hint: "Make room." }));
    output.fail(new FileError("Cannot write y."));
    expect(stderr.text).toBe("gatewarden: Cannot write x.\nMake room.\ngatewarden: Cannot write y.\n");
    expect(stdout.text).toBe("");
  });

  it("says errors as JSON on one line with --json, and no stack", () => {
    const { output, stderr } = outputOf({ json: true });
    output.fail(new UsageError("Cannot do\nthat.", { hint: "Do this.", cause: new Error("why") }));
    expect(stderr.text).toBe(
      `{"error":{"code":"usage","message":"Cannot do\\nthat.","hint":"Do this."}}\n`,
    );
  });

  it("shows the stacks of an error and of its causes for debugging", () => {
    const { output, stderr } = outputOf({ debug: true });
    output.fail(new UsageError("Cannot.", { cause: new Error("the cause") }));
    expect(stderr.text).toMatch(
      /^gatewarden: Cannot\.\nUsageError: Cannot\.\n\s+at [^]*\ncaused by Error: the cause\n\s+at /,
    );
  });

  it("keeps messages to itself with --quiet, but no warning, no error and no result", () => {
    const { output, stdout, stderr } = outputOf({ quiet: true });
    output.say("Started.");
    output.note("Nothing to do.");
    output.debug("a step");
    output.print("result\n");
    output.warn("Beware.");
    expect(stdout.text).toBe("result\n");
    expect(stderr.text).toBe("gatewarden: warning: Beware.\n");
  });

  it("prints nothing but the document to standard output with --json", () => {
    const { output, stdout, stderr } = outputOf({ json: true });
    output.say("Started.");
    output.note("Nothing.");
    output.warn("Beware.");
    output.printJson([1]);
    expect(stdout.text).toBe("[\n  1\n]\n");
    expect(stderr.text).toBe("");
  });

  it("prints no more once nobody reads", () => {
    const { output, stdout } = outputOf();
    output.print("a");
    stdout.fail(new Error("EPIPE"));
    output.print("b");
    expect(output.closed.aborted).toBe(true);
    expect(stdout.text).toBe("a");
  });
});

describe("reportOf", () => {
  it("takes what is no Error as it is", () => {
    expect(reportOf("boom")).toMatchObject({ code: "internal", message: "Cannot go on: boom", exitCode: 1 });
  });
});

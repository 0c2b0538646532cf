import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  GatewardenError,
  GatewayFailedError,
  ProgramNotFoundError,
  S6CommandError,
  TimeoutError,
} from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import type { Action, Outcome, Step } from "../../src/manager.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

const carryOut = (...steps: Step[]): Promise<Outcome> =>
  execute({ verb: "start", profile: "coder", service: "gateway-coder", steps });

/** The error that a plan ends with. */
async function failure(...steps: Step[]): Promise<GatewardenError> {
  const error: unknown = await carryOut(...steps).catch((error) => error);
  if (error instanceof GatewardenError) return error;
  throw new Error(`no error of Gatewarden's: ${error}`);
}

const shell = (script: string, ...args: string[]): string[] => ["/bin/sh", "-c", script, "sh", ...args];
const run = (script: string, more: Partial<Action & { do: "run" }> = {}): Action & { do: "run" } => ({
  do: "run",
  argv: shell(script),
  timeoutMs: 10_000,
  ...more,
});

/** Steps whose doing, and whose taking back, is written down in order. */
const note = (text: string): Action & { do: "run" } => run(`echo ${text} >>'${at("notes")}'`);
const notes = (): string => existsSync(at("notes")) ? readFileSync(at("notes"), "utf8") : "";
const FAILING: Step = run("exit 1");

describe("execute", () => {
  it("does the steps in order, and says each before it is done", async () => {
    const said: string[] = [];
    const steps = [note("a"), note("b"), note("c")];
    await execute({ verb: "start", profile: "coder", service: "gateway-coder", steps }, (step) => {
      said.push(`${step.do} after: ${notes().trim().split("\n").join("")}`);
    });
    expect(said).toEqual(["run after: ", "run after: a", "run after: ab"]);
    expect(notes()).toBe("a\nb\nc\n");
  });

  it("does nothing after a step that fails", async () => {
    expect(await failure(note("a"), FAILING, note("b"))).toBeInstanceOf(S6CommandError);
    expect(notes()).toBe("a\n");
  });

  it("takes back what was done, the last step first and each step's undo in its own order", async () => {
    await failure(
      { ...note("a"), undo: [note("a1"), note("a2")] },
      { ...note("b"), undo: [note("b1")] },
      note("c"),
      FAILING,
      { ...note("d"), undo: [note("d1")] },
    );
    expect(notes()).toBe("a\nb\nc\nb1\na1\na2\n");
  });

  it("does not take back the step that failed: it has done nothing", async () => {
    await failure({ ...FAILING, undo: [note("undone")] });
    expect(notes()).toBe("");
  });

  it("keeps the error of the step when taking back succeeds", async () => {
    const error = await failure({ ...note("a"), undo: [note("a1")] }, run("echo why >&2; exit 3"));
    expect(error.message).toBe(
      "Cannot start gateway-coder: /bin/sh -c echo why >&2; exit 3 sh exited with 3: why",
    );
    expect(error.hint).toBe("");
  });

  it("goes on after a best-effort step that fails, and gives its failure as a warning", async () => {
    const { warnings } = await carryOut({ ...run("exit 5"), bestEffort: true }, note("a"));
    expect(warnings).toEqual(["Cannot start gateway-coder: /bin/sh -c exit 5 sh exited with 5."]);
    expect(notes()).toBe("a\n");
  });

  it("does not take back a best-effort step that failed", async () => {
    await failure({ ...run("exit 5"), bestEffort: true, undo: [note("undone")] }, FAILING);
    expect(notes()).toBe("");
  });

  it("goes on taking back after a best-effort failure, and does not speak of it", async () => {
    const error = await failure(
      { ...note("a"), undo: [{ ...run("exit 9"), bestEffort: true }, note("a1")] },
      FAILING,
    );
    expect(notes()).toBe("a\na1\n");
    expect(error.hint).toBe("");
  });

  it("takes no more back once that fails, because what is left may still be in use, and says so", async () => {
    const error = await failure(
      { ...note("a"), undo: [note("a1")] },
      { ...note("b"), undo: [run("echo stuck >&2; exit 9"), note("b1")] },
      run("exit 1", { failures: { 1: { is: "command", hint: "Do this." } } }),
    );
    expect(notes()).toBe("a\nb\n");
    expect(error.hint).toBe(
      "Do this. What was done could not all be undone: Cannot start gateway-coder: /bin/sh -c echo stuck >&2; " +
        "exit 9 sh exited with 9: stuck",
    );
  });

  it("clears leftovers away first, and gives a failure there as a warning", async () => {
    const leftover = { verb: "unregister", profile: "other", service: "gateway-other" } as const;
    const { warnings } = await execute({
      verb: "register",
      profile: "coder",
      service: "gateway-coder",
      leftovers: [{ ...leftover, steps: [note("l1"), FAILING, note("l2")] }, {
        ...leftover,
        steps: [note("l3")],
      }],
      steps: [note("a")],
    });
    expect(notes()).toBe("l1\nl3\na\n");
    expect(warnings).toEqual(["Cannot unregister gateway-other: /bin/sh -c exit 1 sh exited with 1."]);
  });
});

describe("a run step", () => {
  it("takes the exit codes it is told to for success, and 0 no longer", async () => {
    await carryOut(run("exit 99", { okCodes: [99, 1] }));
    expect(await failure(run("exit 0", { okCodes: [99, 1] }))).toMatchObject({ commandExitCode: 0 });
  });

  it("throws an error with all that is known of the program", async () => {
    expect(await failure(run("echo no >&2; exit 111"))).toMatchObject({
      name: "S6CommandError",
      service: "gateway-coder",
      action: "start",
      argv: shell("echo no >&2; exit 111"),
      commandExitCode: 111,
      stderr: "no\n",
      exitCode: 1,
    });
  });

  it("throws what an exit code means", async () => {
    const failures = {
      0: { is: "gateway", why: "it went down again" },
      99: { is: "timeout", limitMs: 1500, stillThere: "the gateway still runs" },
      100: { is: "command", hint: "Start one." },
    } as const;
    const of = (code: number): Promise<GatewardenError> =>
      failure(run(`exit ${code}`, { okCodes: [], failures }));
    expect(await of(0)).toBeInstanceOf(GatewayFailedError);
    expect((await of(0)).message).toBe("Cannot start gateway-coder: it went down again.");
    expect(await of(99)).toBeInstanceOf(TimeoutError);
    expect((await of(99)).message).toBe("Cannot start gateway-coder within 1.5 s: the gateway still runs.");
    expect(await of(100)).toMatchObject({ code: "s6-command", hint: "Start one." });
  });

  it("kills a program that takes too long, and says what it was and the limit", async () => {
    const error = await failure(run("exec sleep 60", { timeoutMs: 200 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe(
      "Cannot start gateway-coder within 0.2 s: /bin/sh -c exec sleep 60 sh did not end and was killed.",
    );
  });

  it("throws a typed error when there is no such program", async () => {
    expect(await failure({ do: "run", argv: ["/nonexistent/s6-svc"], timeoutMs: 10_000 }))
      .toBeInstanceOf(ProgramNotFoundError);
  });
});

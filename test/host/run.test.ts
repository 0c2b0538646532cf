import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileError, ProgramNotFoundError } from "../../src/errors.ts";
import { run } from "../../src/host/run.ts";
import { temporaryFolder, writeProgram } from "../temporary_folder.ts";

const LIMIT = { timeoutMs: 10_000 };
const shell = (script: string, ...args: string[]): string[] => ["/bin/sh", "-c", script, "sh", ...args];

describe("run", () => {
  it.each([0, 1, 7, 99, 100, 111, 125, 126, 127, 137, 255])("gives the exit code %i", async (code) => {
    expect(await run(shell(`exit ${code}`), LIMIT)).toMatchObject({ exitCode: code, timedOut: false });
  });

  it("gives what the program wrote, each stream by itself", async () => {
    expect(await run(shell("echo out; echo err >&2; printf more; exit 3"), LIMIT)).toEqual({
      exitCode: 3,
      stdout: "out\nmore",
      stderr: "err\n",
      timedOut: false,
    });
  });

  it("gives more than a pipe holds, whole", async () => {
    const { stdout } = await run(shell("yes ü | head -c 600000"), LIMIT);
    expect(stdout).toBe("ü\n".repeat(200_000));
  });

  it("gives the program the input, to its last byte", async () => {
    const input = `${"a line with ü, $HOME and 'quotes'\n".repeat(10_000)}no newline at the end`;
    expect(await run(["/bin/cat"], { ...LIMIT, input })).toMatchObject({ exitCode: 0, stdout: input });
  });

  it("takes a program that does not read its input for failed, and gives the program's words only", async () => {
    const input = "x".repeat(1_000_000);
    expect(await run(shell("echo why >&2; exit 1"), { ...LIMIT, input })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "why\n",
      timedOut: false,
    });
  });

  it("gives the program nothing to read when there is no input", async () => {
    expect(await run(["/bin/cat"], LIMIT)).toMatchObject({ exitCode: 0, stdout: "" });
  });

  it.each([
    "",
    "a b",
    "'",
    '"',
    "$HOME",
    "$(exit 1)",
    "`exit 1`",
    ";",
    "&",
    "|",
    ">file",
    "*",
    "~",
    "{a,b}",
    "\\",
    "a\nb",
    "\t",
    "#",
    "!",
    "-n",
    "--",
    "FOO=bar",
    "ü🙂",
  ])("passes %j as one argument", async (value) => {
    const { stdout } = await run(shell('printf "<%s>" "$@"', "before", value, "after"), LIMIT);
    expect(stdout).toBe(`<before><${value}><after>`);
  });

  it("runs a program whose path has a space, a quote and a dollar in it", async () => {
    const program = writeProgram(join(temporaryFolder(), "it's a $HOME"), 'echo "$1"');
    expect((await run([program, "x y"], LIMIT)).stdout).toBe("x y\n");
  });

  it("passes its own environment on", async () => {
    process.env["GATEWARDEN_TEST"] = "a b";
    onTestFinished(() => {
      delete process.env["GATEWARDEN_TEST"];
    });
    expect((await run(shell('echo "$GATEWARDEN_TEST"'), LIMIT)).stdout).toBe("a b\n");
  });

  it("throws a typed error when there is no such program", async () => {
    const missing = run(["/nonexistent/s6-svc", "-u"], LIMIT);
    await expect(missing).rejects.toBeInstanceOf(ProgramNotFoundError);
    await expect(missing).rejects.toMatchObject({ program: "/nonexistent/s6-svc", exitCode: 1 });
  });

  it("does not take a program's own 127 for a missing program", async () => {
    expect(await run(shell("echo 'mktemp: command not found' >&2; exit 127"), LIMIT)).toMatchObject({
      exitCode: 127,
      stderr: "mktemp: command not found\n",
    });
  });

  it("throws a typed error when the file is no program", async () => {
    const file = join(temporaryFolder(), "text");
    writeFileSync(file, "no program\n");
    chmodSync(file, 0o644);
    const failing = run([file], LIMIT);
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(`Cannot run ${file}: `);
  });

  it("kills a program that ignores SIGTERM when its time is up, and says so", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const start = Date.now();
    const script = 'trap "" TERM; echo $$ >"$1"; echo begun; exec sleep 60';
    const result = await run(shell(script, pidFile), { timeoutMs: 300 });
    expect(Date.now() - start).toBeLessThan(3_000);
    expect(result).toMatchObject({ timedOut: true, stdout: "begun\n" });
    await gone(Number(readFileSync(pidFile, "utf8")));
  });

  it("returns in time when a child of the killed program holds its pipes", async () => {
    const pidFile = join(temporaryFolder(), "pid");
    const start = Date.now();
    const script = 'sleep 60 & echo $! >"$1"; wait';
    const result = await run(shell(script, pidFile), { timeoutMs: 300 });
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    expect(Date.now() - start).toBeLessThan(3_000);
    expect(result.timedOut).toBe(true);
  });

  it("leaves a program alone that ends in time", async () => {
    expect(await run(shell("echo fine"), { timeoutMs: 60_000 })).toMatchObject({
      exitCode: 0,
      stdout: "fine\n",
      timedOut: false,
    });
  });
});

/** Resolves when there is no such process any more. */
async function gone(pid: number): Promise<void> {
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
}

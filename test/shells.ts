/** The shells that scripts must run under, and batches of work for them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** A shell: what it is called, and the words that start it. */
export interface Shell {
  readonly name: string;
  readonly argv: readonly [program: string, ...args: string[]];
}

export const SHELLS: readonly Shell[] = [
  { name: "dash", argv: ["dash"] },
  { name: "bash", argv: ["bash"] },
  { name: "busybox ash", argv: ["busybox", "ash"] },
  { name: "mksh", argv: ["mksh"] },
  { name: "yash", argv: ["yash"] },
  { name: "ksh", argv: ["ksh"] },
];

/** What a missing shell's test is skipped with; undefined when the shell is there. */
export function missing({ argv: [program] }: Shell): string | undefined {
  return spawnSync(program, ["-c", ":"]).error === undefined ? undefined : `${program} is not installed`;
}

/** Runs a script that is read from a file, in some folder, and gives what it wrote to standard output. */
export function runScript(
  shell: Shell,
  script: string,
  env: Readonly<Record<string, string>> = {},
  cwd: string = process.cwd(),
): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, "script"), script);
    const [program, ...args] = shell.argv;
    const { status, stdout, stderr } = spawnSync(program, [...args, join(folder, "script")], {
      cwd,
      env: { ...surroundings(shell), ...env },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`${shell.name} exited with ${status}: ${stderr}`);
    return stdout;
  });
}

/** Those of the scripts that the shell cannot parse, each with what it says. */
export function unparsable(shell: Shell, scripts: readonly string[]): string[] {
  return inFolder((folder) => {
    const files = scripts.map((script, index) => {
      writeFileSync(join(folder, String(index)), script);
      return String(index);
    });
    const loop =
      'for file do "$SHELL_PROGRAM" $SHELL_ARGUMENTS -n "$file" 2>"$file.error" || echo "$file"; done';
    const [program, ...args] = shell.argv;
    const { stdout } = spawnSync("sh", ["-c", loop, "sh", ...files], {
      cwd: folder,
      env: { ...surroundings(shell), SHELL_PROGRAM: program, SHELL_ARGUMENTS: args.join(" ") },
      encoding: "utf8",
    });
    return stdout.split("\n").filter((line) => line !== "").map((index) => scripts[Number(index)] ?? index);
  });
}

function surroundings({ name }: Shell): Record<string, string> {
  // yash reads a script in the encoding of its locale; the others take its bytes as they are.
  return { PATH: process.env["PATH"] ?? "", LC_ALL: name === "yash" ? "C.UTF-8" : "C" };
}

function inFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "shells-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

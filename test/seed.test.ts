/**
 * The tests that the project was started from, as far as they are about rendering: one for each, found by its name.
 * What is pinned here to the letter is what other programs may rely on.
 */
import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { HERMES } from "../src/gateway/definition.ts";
import { renderFinish, renderLogRun, renderRun } from "../src/s6/render.ts";
import { temporaryFolder, writeProgram } from "./temporary_folder.ts";

const runScript = (profile: string): string => renderRun(HERMES, profile, { interpreter: "with-contenv" });
const logRun = (profile: string): string => renderLogRun(HERMES, profile, "with-contenv");

/** The setup of log/run: what comes before the first line that names s6-log. */
function setupFragment(rendered: string): string {
  const lines = rendered.split("\n").filter((line) =>
    !line.startsWith("#!/") && !line.includes("shellcheck")
  );
  return ["#!/bin/sh", ...lines.slice(0, lines.findIndex((line) => line.includes("s6-log"))), ""].join("\n");
}

describe("the seed", () => {
  it("test_render_run_script_uses_replace_to_take_over_stale_holder: each line that starts the gateway has --replace", () => {
    const startLines = (script: string): string[] =>
      script.split("\n").filter((line) => line.includes("gateway run"));

    const root = runScript("default");
    expect(root).toContain("hermes gateway run --replace");
    expect(root).not.toContain("hermes -p default");
    expect(startLines(root)).toHaveLength(2);
    for (const line of startLines(root)) expect(line).toContain("--replace");

    const named = runScript("coder");
    expect(named).toContain("hermes -p coder gateway run --replace");
    expect(startLines(named)).toHaveLength(2);
    for (const line of startLines(named)) expect(line).toContain("--replace");
  });

  it("test_render_finish_script_does_not_restart_on_clean_exit: executed, it exits with 125 after 0 and 78 only", () => {
    const script = join(temporaryFolder(), "finish");
    writeFileSync(script, renderFinish(HERMES, "coder"));
    const finishExit = (runExitCode: number): number | null =>
      spawnSync("sh", [script, String(runExitCode)]).status;

    expect(finishExit(0)).toBe(125);
    expect(finishExit(78)).toBe(125);
    expect(finishExit(1)).toBe(0);
    expect(finishExit(137)).toBe(0);
  });

  it("test_s6_log_run_creates_leaf_as_hermes_without_chown: the service user makes the folder and clears the lock", () => {
    const log = logRun("coder");
    expect(log.split("\n").filter((line) => line.trimStart().startsWith("chown "))).toEqual([]);
    expect(log).toContain('s6-setuidgid hermes mkdir -p "$log_dir"');
    expect(log).toContain('s6-setuidgid hermes rm -f "$log_dir/lock"');
    expect(log).toContain('else\n  mkdir -p "$log_dir"\n  rm -f "$log_dir/lock"\nfi\n');
    const afterFi = log.slice(log.indexOf("fi\n") + "fi\n".length);
    expect(afterFi).not.toContain('rm -f "$log_dir/lock"');

    const mkdirAt = log.indexOf('s6-setuidgid hermes mkdir -p "$log_dir"');
    const rmAt = log.indexOf('s6-setuidgid hermes rm -f "$log_dir/lock"');
    const execAt = log.indexOf("s6-log 1 ");
    expect(mkdirAt).toBeLessThan(rmAt);
    expect(rmAt).toBeLessThan(execAt);
    expect(log).not.toContain('/opt/data/logs/gateways"');
  });

  // bats/race.bats has the same attack under every shell, and shows that it beats a script that looks first.
  it("test_s6_log_run_never_invokes_chown_with_symlinked_log_dir: a swapped link leads root nowhere", async () => {
    const folder = temporaryFolder();
    const home = join(folder, "hermes");
    const leaf = join(home, "logs/gateways/coder");
    mkdirSync(leaf, { recursive: true });
    const victim = join(folder, "victim");
    mkdirSync(victim);
    writeFileSync(join(victim, "marker"), "keep");
    writeFileSync(join(victim, "lock"), "keep-lock");
    const before = statSync(victim);

    const programs = join(folder, "bin");
    const chowned = join(folder, "chown_calls");
    mkdirSync(programs);
    writeProgram(join(programs, "chown"), `printf '%s\\n' "$*" >>'${chowned}'`);
    writeProgram(join(programs, "id"), '[ "$1" = -u ] && echo 0');
    writeProgram(join(programs, "s6-setuidgid"), "shift", "DROPPED=1", "export DROPPED", 'exec "$@"');
    writeProgram(join(programs, "rm"), '[ -n "$DROPPED" ] || exec /bin/rm "$@"');
    const script = join(folder, "setup.sh");
    writeFileSync(script, setupFragment(logRun("coder")));
    expect(readFileSync(script, "utf8")).toContain('rm -f "$log_dir/lock"');

    let attacking = true;
    let swaps = 0;
    const clearLeaf = (): void => {
      const there = lstatSync(leaf, { throwIfNoEntry: false });
      if (there !== undefined) (there.isDirectory() ? rmdirSync : unlinkSync)(leaf);
    };
    const attempt = (put: () => void): void => {
      try {
        clearLeaf();
        put();
        swaps++;
      } catch {
        // the script was quicker
      }
    };
    const attack = async (): Promise<void> => {
      while (attacking) {
        attempt(() => symlinkSync(victim, leaf));
        await setTimeout(1);
        attempt(() => mkdirSync(leaf));
        await setTimeout(1);
      }
    };

    const attacked = attack();
    const env = { ...process.env, HERMES_HOME: home, PATH: `${programs}:${process.env["PATH"]}` };
    try {
      for (let run = 0; run < 40; run++) {
        await promisify(execFile)("/bin/sh", [script], { env });
        expect(existsSync(join(victim, "lock"))).toBe(true);
      }
    } finally {
      attacking = false;
      await attacked;
    }

    expect(swaps).toBeGreaterThan(80);
    expect(existsSync(chowned)).toBe(false);
    const after = statSync(victim);
    expect([after.uid, after.gid]).toEqual([before.uid, before.gid]);
    expect(readFileSync(join(victim, "marker"), "utf8")).toBe("keep");
    expect(readFileSync(join(victim, "lock"), "utf8")).toBe("keep-lock");
  });
});

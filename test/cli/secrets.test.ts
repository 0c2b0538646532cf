/** That nothing which is for its owner alone is printed, by real plans and renderings. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { planForJson, withoutSecrets } from "../../src/cli/without_secrets.ts";
import { HERMES } from "../../src/gateway/definition.ts";
import type { Plan, RegisterOptions, RenderedFile, Verb } from "../../src/manager.ts";
import { planRegister } from "../../src/s6/plan.ts";
import { renderSlot } from "../../src/s6/render.ts";
import { context } from "../s6/plan_context.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { FakeManager, gatewarden } from "./harness.ts";

const VALUES = ["s3cret-of-the-file", "s3cret-of-the-flag"];

/** A manager that renders and plans as the one of s6 does, on a machine that is made up. */
class RenderingManager extends FakeManager {
  override render(profile: string, options: RegisterOptions = {}): [RenderedFile] {
    return renderSlot(HERMES, profile, { ...options, interpreter: "sh" }) as unknown as [RenderedFile];
  }

  override plan(_: Verb, profile: string, options: RegisterOptions = {}): Promise<Plan> {
    const plan = planRegister(context, this.render(profile, options), true);
    return Promise.resolve({ ...plan, leftovers: [plan] });
  }
}

let folder: string;
let flags: string[];
beforeEach(() => {
  folder = temporaryFolder();
  const file = join(folder, "env");
  writeFileSync(file, `API_TOKEN=${VALUES[0]}\n`, { mode: 0o600 });
  flags = ["coder", "--env-from", file, "--env", `PASSWORD=${VALUES[1]}`];
});

describe("what is for its owner alone", () => {
  it.each([
    ["register --dry-run", ["register", "--dry-run"]],
    ["register --dry-run --json", ["register", "--dry-run", "--json"]],
    ["register, shown step by step,", ["register"]],
    ["register --json", ["register", "--json"]],
    ["render", ["render"]],
    ["render --json", ["render", "--json"]],
    ["render --out --dry-run", ["render", "--out", "/nonexistent", "--dry-run"]],
    ["render --out --dry-run --json", ["render", "--out", "/nonexistent", "--dry-run", "--json"]],
  ])("is not printed by %s", async (_, argv) => {
    const debug = { GATEWARDEN_DEBUG: "1" };
    const { exitCode, stdout, stderr } = await gatewarden(new RenderingManager(), [...argv, ...flags], debug);
    expect(exitCode, stderr).toBe(0);
    expect(stdout).not.toBe("");
    for (const value of VALUES) expect(stdout + stderr).not.toContain(value);
    if (!argv.includes("--dry-run") && argv[0] !== "render") return;
    expect(stdout).toContain("env/API_TOKEN");
  });

  it.each([["said in text", []], ["in JSON", ["--json"]]])(
    "is not printed by render --out either, which writes it (%s)",
    async (_, argv) => {
      const out = join(folder, "out");
      const result = await gatewarden(new RenderingManager(), ["render", "--out", out, ...argv, ...flags], {
        GATEWARDEN_DEBUG: "1",
      });
      expect(result.exitCode, result.stderr).toBe(0);
      for (const value of VALUES) expect(result.stdout + result.stderr).not.toContain(value);
      expect(readFileSync(join(out, "gateway-coder/env/API_TOKEN"), "utf8")).toBe(`${VALUES[0]}\n`);
      expect(readFileSync(join(out, "gateway-coder/run"), "utf8")).toContain(VALUES[1]);
    },
  );

  it("is not printed when the file is refused", async () => {
    chmodSync(join(folder, "env"), 0o644);
    const { exitCode, stderr } = await gatewarden(new RenderingManager(), ["register", ...flags]);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^gatewarden: Cannot use .*\nClose it with: chmod 600 /);
    for (const value of VALUES) expect(stderr).not.toContain(value);
  });
});

describe("withoutSecrets", () => {
  it("gives the bytes in the place of a private text, and any other file as it is", () => {
    for (const mode of [0o600, 0o700, 0o400]) {
      expect(withoutSecrets({ path: "x", mode, text: "é\n" })).toEqual({ path: "x", mode, bytes: 3 });
    }
    for (const mode of [0o644, 0o640, 0o604, 0o710]) {
      expect(withoutSecrets({ path: "x", mode, text: "é" })).toEqual({ path: "x", mode, text: "é" });
    }
  });
});

describe("planForJson", () => {
  it("keeps all of a plan but private texts, in what takes steps back too", () => {
    const secret = { do: "write", path: "/x", mode: 0o600, text: "ab" } as const;
    const hidden = { do: "write", path: "/x", mode: 0o600, bytes: 2 };
    const open = { do: "write", path: "/y", mode: 0o644, text: "ab" } as const;
    const plan: Plan = {
      verb: "register",
      profile: "a",
      service: "b",
      steps: [secret, { ...open, bestEffort: true, undo: [secret, open] }],
    };
    const shown = { ...plan, steps: [hidden, { ...open, bestEffort: true, undo: [hidden, open] }] };
    expect(planForJson({ ...plan, leftovers: [plan] })).toEqual({ ...shown, leftovers: [shown] });
  });
});

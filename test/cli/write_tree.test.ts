import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planTree } from "../../src/cli/write_tree.ts";
import { execute } from "../../src/host/execute.ts";
import type { RenderedFile } from "../../src/manager.ts";

const FILES: readonly RenderedFile[] = [
  { path: "gateway-a/data/deep/x", mode: 0o640, text: "x" },
  { path: "gateway-a/log/run", mode: 0o755, text: "#!/bin/sh\n" },
  { path: "gateway-a/run", mode: 0o755, text: "#!/bin/sh\nä\n" },
  { path: "gateway-a/type", mode: 0o644, text: "longrun\n" },
];

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatewarden-test-"));
  umask = process.umask();
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

function modes(path: string, prefix = ""): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(path).map((name) => {
      const stat = lstatSync(join(path, name));
      const own = { [prefix + name]: (stat.mode & 0o7777).toString(8) };
      return stat.isDirectory() ? { ...own, ...modes(join(path, name), `${prefix}${name}/`) } : own;
    }),
  );
}

describe("planTree", () => {
  it.each(["000", "022", "077", "777"])("gives exact modes under umask %s", async (mask) => {
    const plan = planTree("a", join(folder, "out"), FILES);
    process.umask(parseInt(mask, 8));
    await execute(plan);
    expect(modes(folder)).toEqual({
      "out": "755",
      "out/gateway-a": "755",
      "out/gateway-a/data": "755",
      "out/gateway-a/data/deep": "755",
      "out/gateway-a/data/deep/x": "640",
      "out/gateway-a/log": "755",
      "out/gateway-a/log/run": "755",
      "out/gateway-a/run": "755",
      "out/gateway-a/type": "644",
    });
    expect(readFileSync(join(folder, "out/gateway-a/run"), "utf8")).toBe("#!/bin/sh\nä\n");
  });

  it("keeps a folder to its owner when all that is in it is", async () => {
    await execute(planTree("a", folder, [
      ...FILES,
      { path: "gateway-a/env/TOKEN", mode: 0o600, text: "x" },
      { path: "gateway-a/mixed/private", mode: 0o700, text: "x" },
      { path: "gateway-a/mixed/public", mode: 0o644, text: "x" },
    ]));
    expect(modes(folder)).toMatchObject({
      "gateway-a": "755",
      "gateway-a/env": "700",
      "gateway-a/env/TOKEN": "600",
      "gateway-a/mixed": "755",
    });
  });

  it("leaves a folder that is there as it is", async () => {
    mkdirSync(join(folder, "out"), { mode: 0o700 });
    await execute(planTree("a", join(folder, "out"), FILES));
    expect(modes(folder)["out"]).toBe("700");
  });

  it("refuses what is there already, a dangling link too", () => {
    const there = join(folder, "gateway-a");
    mkdirSync(there);
    expect(() => planTree("a", folder, FILES)).toThrow(
      `Cannot render "a" to ${there}: something is there already.`,
    );
    rmSync(there, { recursive: true });
    symlinkSync("nowhere", there);
    expect(() => planTree("a", folder, FILES)).toThrow("something is there already");
  });

  it("leaves nothing when something gets in the way after all", async () => {
    const plan = planTree("a", folder, FILES);
    symlinkSync("/tmp", join(folder, "gateway-a"));
    await expect(execute(plan)).rejects.toThrow("Cannot render gateway-a");
    expect(readdirSync(folder)).toEqual(["gateway-a"]);
    expect(lstatSync(join(folder, "gateway-a")).isSymbolicLink()).toBe(true);
  });

  it("keeps the aside name within the file system's limit", async () => {
    const service = `gateway-${"a".repeat(243)}`;
    await execute(planTree("a".repeat(243), folder, [{ path: `${service}/run`, mode: 0o755, text: "" }]));
    expect(readdirSync(folder)).toEqual([service]);
  });
});

import { spawnSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RenderedFile } from "../../src/manager.ts";
import type { Driver } from "./helper/driver.ts";
import {
  assertNothingHalfBuilt,
  assertNothingLeft,
  rescan,
  supervised,
  temporaryFolders,
} from "./helper/slots.ts";
import { makeFolderOfUser, prepareStage, type Stage } from "./helper/stage.ts";
import { assertReader, eventually, startTree, type Tree } from "./helper/tree.ts";

const PROFILE = "coder";
const ROUNDS = 6;

let stage: Stage;
let tree: Tree;
let driver: Driver;
let others: Driver[];
let files: readonly RenderedFile[];
beforeAll(async () => {
  stage = prepareStage();
  tree = await startTree(stage);
  tree.addProfile(PROFILE);
  driver = tree.driver();
  others = Array.from({ length: 4 }, () => tree.driver());
  // Ready, so that they begin together.
  await Promise.all([driver, ...others].map((one) => one.call("unregisterProfileGateway", PROFILE)));
  files = await driver.call("render", PROFILE);
});
afterAll(async () => {
  await Promise.all([driver, ...others].map((one) => one.close()));
  await tree.remove();
  stage.remove();
});
afterEach(() => driver.call("unregisterProfileGateway", PROFILE));

/** Has processes call a method at once; gives what each came to: its value, or the name of its error. */
async function atOnce(
  method: "registerProfileGateway" | "unregisterProfileGateway",
  processes: number,
): Promise<unknown[]> {
  return await Promise.all(
    [driver, ...others].slice(0, processes).map((one) =>
      one.call(method, PROFILE).catch(({ name, message }) => `${name}: ${message}`)
    ),
  );
}

function expectOneWinner(results: readonly unknown[]): void {
  const lost = results.filter((one) => String(one).startsWith("GatewayAlreadyRegisteredError: "));
  expect(lost, JSON.stringify(results)).toHaveLength(results.length - 1);
  expect(results).toContainEqual({ warnings: [] });
}

function expectWholeSlot(when: string): void {
  assertNothingHalfBuilt(tree, files, when);
  expect(supervised(tree), when).toEqual(["gateway-coder", "gateway-coder/log"]);
  expect(temporaryFolders(tree), when).toEqual([]);
}

describe("of several processes that act on one profile at once", () => {
  it.each([2, 5])("exactly one of %i registers it, and its slot is whole", async (processes) => {
    for (let round = 1; round <= ROUNDS; round++) {
      expectOneWinner(await atOnce("registerProfileGateway", processes));
      expectWholeSlot(`round ${round}`);
      await driver.call("unregisterProfileGateway", PROFILE);
      assertNothingLeft(tree, `round ${round}`);
    }
  });

  it("exactly one registers it where a killed run has left its folder, and none complains of that", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const victim = tree.driver({ killBeforeStep: 15 });
      await expect(victim.call("registerProfileGateway", PROFILE)).rejects.toThrow("the driver ended");
      expect(temporaryFolders(tree)).toHaveLength(1);
      expectOneWinner(await atOnce("registerProfileGateway", 5));
      expectWholeSlot(`round ${round}`);
      await driver.call("unregisterProfileGateway", PROFILE);
    }
  });

  it("all unregister it", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await driver.call("registerProfileGateway", PROFILE);
      const results = await atOnce("unregisterProfileGateway", 5);
      expect(results).toEqual(results.map(() => ({ warnings: [] })));
      assertNothingLeft(tree, `round ${round}`);
    }
  });

  it("one that registers and one that unregisters leave a whole slot or none", async () => {
    const [other] = others;
    for (let round = 1; round <= ROUNDS; round++) {
      const registered = driver.call("registerProfileGateway", PROFILE).catch(({ name }) => name);
      const unregistered = other?.call("unregisterProfileGateway", PROFILE).catch(({ name }) => name);
      const results = JSON.stringify([await registered, await unregistered]);
      await rescan(tree);
      assertNothingHalfBuilt(tree, files, results);
      expect(temporaryFolders(tree), results).toEqual([]);
      await driver.call("unregisterProfileGateway", PROFILE);
      assertNothingLeft(tree, results);
    }
  });
});

describe("a supervisor that is slow to begin", () => {
  // Between it reads commands and writes its first record.
  const tracer = ["strace", "-f", "-o", "/dev/null", "-e", "trace=signalfd4"];
  const slow = [...tracer, "-e", "inject=signalfd4:delay_enter=300000"];
  const noTracing = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0
    ? undefined
    : "strace is not installed, or may not trace here";

  it("is waited for: what register has started can be stopped at once", async (ctx) => {
    ctx.skip(noTracing !== undefined, noTracing);
    const slowTree = await startTree(stage, slow);
    ctx.onTestFinished(() => slowTree.remove());
    const caller = slowTree.driver();
    await caller.call("registerProfileGateway", PROFILE);
    expect((await caller.call("status", PROFILE)).state).not.toBe("unknown");
    await caller.call("stop", PROFILE);
    expect((await caller.call("status", PROFILE)).state).toBe("stopped");
  });

  it("is ended when register was killed meanwhile and unregister is run", async (ctx) => {
    ctx.skip(noTracing !== undefined, noTracing);
    const slowTree = await startTree(stage, slow);
    ctx.onTestFinished(() => slowTree.remove());
    const caller = slowTree.driver();
    await caller.call("registerProfileGateway", PROFILE);
    const killBeforeStep = caller.steps.indexOf("wait") + 1;
    await caller.call("unregisterProfileGateway", PROFILE);
    const victim = slowTree.driver({ killBeforeStep });
    await expect(victim.call("registerProfileGateway", PROFILE)).rejects.toThrow("the driver ended");
    await eventually(() => assertReader(join(slowTree.scandir, "gateway-coder/supervise/control")));
    expect(await caller.call("unregisterProfileGateway", PROFILE)).toEqual({ warnings: [] });
    assertNothingLeft(slowTree, "unregistered");
  });
});

describe("an s6-svscan that is slow to look again", () => {
  it("does not keep the logger from ending", async ({ onTestFinished }) => {
    const own = await startTree(stage);
    onTestFinished(() => own.remove());
    const caller = own.driver();
    await caller.call("registerProfileGateway", PROFILE);
    process.kill(own.pid, "SIGSTOP");
    const unregistered = caller.call("unregisterProfileGateway", PROFILE);
    // The gateway's supervisor has ended, and s6-svscan knows neither of that nor that the slot is gone.
    await eventually(() =>
      expect(supervised(own)).toEqual([expect.stringMatching(/^\.gatewarden-.*\/log$/)])
    );
    process.kill(own.pid, "SIGCONT");
    expect(await unregistered).toEqual({ warnings: [] });
    assertNothingLeft(own, "unregistered");
  });
});

describe("another service of the same scandir", () => {
  it("goes on while a gateway is unregistered, although it was absent at the last scan", async () => {
    const foreign = join(tree.scandir, "foreign");
    makeFolderOfUser(foreign);
    writeFileSync(join(foreign, "run"), "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
    await rescan(tree);
    await driver.call("registerProfileGateway", PROFILE);
    renameSync(foreign, join(tree.scandir, ".foreign"));
    await rescan(tree);
    await driver.call("unregisterProfileGateway", PROFILE);
    expect(supervised(tree)).toEqual([".foreign"]);
    rmSync(join(tree.scandir, ".foreign"), { recursive: true });
  });
});

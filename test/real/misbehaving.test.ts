import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import type { Driver } from "./helper/driver.ts";
import { killAllIn, processesIn } from "./helper/processes.ts";
import { assertNothingLeft, supervised } from "./helper/slots.ts";
import { prepareStage, type Stage } from "./helper/stage.ts";
import { type DriverChoice, eventually, startTree, type Tree } from "./helper/tree.ts";

let stage: Stage;
beforeAll(() => {
  stage = prepareStage();
});
afterAll(() => stage.remove());

async function treeFor({ onTestFinished }: TestContext): Promise<Tree> {
  const tree = await startTree(stage);
  tree.addProfile("coder");
  onTestFinished(() => tree.remove());
  return tree;
}

/** Registers a gateway that ignores SIGTERM; gives its process id. */
async function registerDeaf(tree: Tree, driver: Driver): Promise<number> {
  await driver.call("registerProfileGateway", "coder");
  await tree.tell("coder", "ignore TERM");
  await eventually(() => expect(tree.log("coder")).toContain("done: ignore TERM"));
  return (await driver.call("status", "coder")).pid ?? -1;
}

/** Has the gateway end with a code whenever it is started from now on. */
function letItCrash({ home }: Tree, code: number): void {
  writeFileSync(join(home, "coder.exit"), `${code}\n`);
}

const killedAfter = (seconds: number, { definition }: Tree): DriverChoice => ({
  definition: { ...definition, stop: { ...definition.stop, drainSeconds: seconds, graceSeconds: 0 } },
});

// Most of these only wait for a limit.
describe.concurrent("a gateway that ignores SIGTERM", () => {
  it("still runs when the limit of a stop is reached, and the error says so", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    const pid = await registerDeaf(tree, driver);
    await expect(driver.call("stop", "coder", { timeoutMs: 300 })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "Cannot stop gateway-coder within 0.3 s: the gateway still runs.",
      hint: "Give it more time with --timeout SECONDS.",
    });
    expect(await driver.call("status", "coder")).toMatchObject({
      state: "stopping",
      pid,
      enabled: true,
      desired: "running",
    });
    process.kill(pid, "SIGKILL");
    await driver.call("stop", "coder");
    expect(await driver.call("status", "coder")).toMatchObject({ state: "stopped", desired: "stopped" });
  });

  it("is not restarted while it still runs, and the error says so", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    const pid = await registerDeaf(tree, driver);
    await expect(driver.call("restart", "coder", { timeoutMs: 300 })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "Cannot restart gateway-coder within 0.3 s: the gateway still runs.",
    });
    expect((await driver.call("status", "coder")).pid).toBe(pid);
  });

  it("keeps its slot when the limit of an unregister is reached", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    const pid = await registerDeaf(tree, driver);
    await expect(driver.call("unregisterProfileGateway", "coder", { timeoutMs: 300 })).rejects.toMatchObject({
      name: "TimeoutError",
      message: "Cannot unregister gateway-coder within 0.3 s: the gateway still runs.",
    });
    expect(supervised(tree)).toEqual(["gateway-coder", "gateway-coder/log"]);
    expect(await driver.call("status", "coder")).toMatchObject({ pid, desired: "running" });
    process.kill(pid, "SIGKILL");
    await driver.call("unregisterProfileGateway", "coder");
    assertNothingLeft(tree, "unregistered");
  });

  it("is killed once the stop budget of the definition is spent", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver(killedAfter(1, tree));
    await registerDeaf(tree, driver);
    await driver.call("stop", "coder");
    expect(await driver.call("status", "coder")).toMatchObject({ state: "stopped", signal: "SIGKILL" });
  });
});

describe.concurrent("a gateway that ends at once", () => {
  it.for(
    [
      [3, "It ended with exit code 3."],
      [78, "It is parked: exit code 78: configuration error (EX_CONFIG)."],
    ] as const,
  )("with %i makes restart and start fail, and the error says how it ended", async ([code, why], ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    await driver.call("registerProfileGateway", "coder");
    letItCrash(tree, code);
    for (const verb of ["restart", "start"] as const) {
      await expect(driver.call(verb, "coder")).rejects.toMatchObject({
        name: "GatewayFailedError",
        message: `Cannot ${verb} gateway-coder: it came up and went down again at once. ${why}`,
        hint: "Its log says more: gatewarden logs coder",
      });
    }
  });

  it("can be stopped", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    letItCrash(tree, 3);
    await driver.call("registerProfileGateway", "coder");
    await driver.call("stop", "coder");
    expect(await driver.call("status", "coder")).toMatchObject({ state: "stopped", wantUp: false });
  });
});

describe.concurrent("a slot", () => {
  it("without a supervisor is not supervised, and no verb pretends to act on it", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    await driver.call("registerProfileGateway", "coder");
    process.kill(tree.pid, "SIGKILL");
    // The loggers end by themselves once nobody writes to them.
    await eventually(() => killAllIn(tree.scandir));
    await killAllIn(tree.home);
    expect(await driver.call("status", "coder")).toMatchObject({
      state: "stopped",
      supervised: false,
      pid: null,
      wantUp: null,
    });
    for (const verb of ["start", "stop", "restart"] as const) {
      await expect(driver.call(verb, "coder")).rejects.toMatchObject({
        name: "S6CommandError",
        hint: expect.stringContaining(`No s6-supervise runs on ${tree.scandir}/gateway-coder.`),
      });
    }
    expect(existsSync(join(tree.scandir, "gateway-coder/down"))).toBe(false);
    await driver.call("unregisterProfileGateway", "coder");
    expect(readdirSync(tree.scandir)).toEqual([".s6-svscan"]);
  });

  it("is not deleted while its logger is still supervised, and the error says so", async (ctx) => {
    const tree = await treeFor(ctx);
    const driver = tree.driver();
    await driver.call("registerProfileGateway", "coder");
    const supervisor =
      processesIn(tree.scandir).find(({ name, folder }) => name === "s6-supervise" && folder.endsWith("/log"))
        ?.pid ?? 0;
    process.kill(supervisor, "SIGSTOP");
    await expect(driver.call("unregisterProfileGateway", "coder")).rejects.toMatchObject({
      name: "TimeoutError",
      message: expect.stringMatching(
        /^Cannot unregister gateway-coder within 5 s: an s6-supervise still runs on .*\/log\.$/,
      ),
    });
    expect(supervised(tree)).toEqual([expect.stringMatching(/^\.gatewarden-gateway-coder\.old\..*\/log$/)]);
    process.kill(supervisor, "SIGCONT");
    await driver.close();
    const next = tree.driver();
    expect(await next.call("unregisterProfileGateway", "coder")).toEqual({ warnings: [] });
    assertNothingLeft(tree, "the next run");
  });
});

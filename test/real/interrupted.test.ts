import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RenderedFile } from "../../src/manager.ts";
import type { Driver } from "./helper/driver.ts";
import { processesIn } from "./helper/processes.ts";
import { assertNothingHalfBuilt, assertNothingLeft, rescan, temporaryFolders } from "./helper/slots.ts";
import { prepareStage, type Stage } from "./helper/stage.ts";
import { FAILS_LATE, noStubs, pathWith } from "./helper/stub.ts";
import { type DriverChoice, eventually, startTree, type Tree } from "./helper/tree.ts";

type Acting = "start" | "stop" | "restart" | "registerProfileGateway" | "unregisterProfileGateway";

const PROFILE = "coder";

let stage: Stage;
let tree: Tree;
/** A driver that nobody kills. */
let driver: Driver;
let files: readonly RenderedFile[];
beforeAll(async () => {
  stage = prepareStage();
  tree = await startTree(stage);
  tree.addProfile(PROFILE);
  driver = tree.driver();
  files = await driver.call("render", PROFILE);
});
afterAll(async () => {
  await driver.close();
  await tree.remove();
  stage.remove();
});
beforeEach(async () => {
  await driver.call("unregisterProfileGateway", PROFILE);
});

/** Has another process carry out a verb and kill itself right before a step; `when` says so in messages. */
async function killed(method: Acting, killBeforeStep: number, choice: DriverChoice = {}): Promise<string> {
  const victim = tree.driver({ ...choice, killBeforeStep });
  await expect(victim.call(method, PROFILE)).rejects.toThrow("the driver ended");
  expect(await victim.ended()).toBe("SIGKILL");
  return `${method} killed before step ${killBeforeStep}`;
}

/** Carries a verb out, and gives the steps that took, by what they do. */
async function stepsOf(method: Acting): Promise<readonly string[]> {
  await driver.call(method, PROFILE);
  return driver.steps;
}

describe("killed before whichever of its steps", () => {
  it("register leaves nothing half-built supervised, and succeeds when it is run again", async () => {
    const steps = await stepsOf("registerProfileGateway");
    expect(steps.length).toBeGreaterThan(20);
    for (let step = 1; step <= steps.length; step++) {
      await driver.call("unregisterProfileGateway", PROFILE);
      const when = await killed("registerProfileGateway", step);
      await rescan(tree);
      assertNothingHalfBuilt(tree, files, when);
      expect(await driver.call("registerProfileGateway", PROFILE), when).toEqual({ warnings: [] });
      expect(await driver.call("status", PROFILE), when).toMatchObject({ supervised: true, wantUp: true });
      expect(temporaryFolders(tree), when).toEqual([]);
    }
  });

  it("register leaves nothing behind once it is unregistered", async () => {
    const steps = await stepsOf("registerProfileGateway");
    await driver.call("unregisterProfileGateway", PROFILE);
    for (let step = steps.indexOf("rename"); step <= steps.length; step++) {
      const when = await killed("registerProfileGateway", step);
      expect(await driver.call("unregisterProfileGateway", PROFILE), when).toEqual({ warnings: [] });
      assertNothingLeft(tree, when);
    }
  });

  it("register that fails and is being undone leaves nothing half-built supervised, and succeeds when it is run again", async (ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const path = pathWith(tree.folder, "s6-svscanctl", ...FAILS_LATE);
    const loser = tree.driver({ path });
    await expect(loser.call("registerProfileGateway", PROFILE)).rejects.toMatchObject({
      name: "S6CommandError",
    });
    const { steps } = loser;
    const firstOfUndo = 1 + steps.lastIndexOf("rename");
    await loser.close();
    assertNothingLeft(tree, "undone");
    for (let step = firstOfUndo; step <= steps.length; step++) {
      const when = await killed("registerProfileGateway", step, { path });
      await rescan(tree);
      assertNothingHalfBuilt(tree, files, when);
      expect(await driver.call("registerProfileGateway", PROFILE), when).toEqual({ warnings: [] });
      expect(temporaryFolders(tree), when).toEqual([]);
      await driver.call("unregisterProfileGateway", PROFILE);
      assertNothingLeft(tree, when);
    }
  });

  it("unregister leaves nothing half-built supervised, and leaves nothing behind when it is run again", async () => {
    await driver.call("registerProfileGateway", PROFILE);
    const steps = await stepsOf("unregisterProfileGateway");
    expect(steps.length).toBeGreaterThan(7);
    for (let step = 1; step <= steps.length; step++) {
      await driver.call("registerProfileGateway", PROFILE);
      const when = await killed("unregisterProfileGateway", step);
      await rescan(tree);
      assertNothingHalfBuilt(tree, files, when);
      expect(await driver.call("unregisterProfileGateway", PROFILE), when).toEqual({ warnings: [] });
      assertNothingLeft(tree, when);
      expect((await driver.call("status", PROFILE)).desired, when).toBe("stopped");
    }
  });

  it.each(
    [
      ["start", "stop", "running"],
      ["stop", "start", "stopped"],
      ["restart", "start", "running"],
    ] as const,
  )("%s comes true when it is run again", async (verb, opposite, state) => {
    await driver.call("registerProfileGateway", PROFILE);
    await driver.call(opposite, PROFILE, { wait: opposite === "stop" });
    const steps = await stepsOf(verb);
    expect(steps.length).toBeGreaterThan(2);
    for (let step = 1; step <= steps.length; step++) {
      await driver.call(opposite, PROFILE, { wait: opposite === "stop" });
      const when = await killed(verb, step);
      expect(await driver.call(verb, PROFILE), when).toEqual({ warnings: [] });
      expect(await driver.call("status", PROFILE), when).toMatchObject({
        state,
        desired: state,
        enabled: state === "running",
      });
    }
  });

  it("while it writes what was asked for, start leaves the old file or the new one, whole", async () => {
    const path = pathWith(
      tree.folder,
      "mktemp",
      "read -r _ _ _ caller _ </proc/$PPID/stat",
      "kill -9 $caller",
      'exec "$real" "$@"',
    );
    await driver.call("registerProfileGateway", PROFILE);
    for (let round = 1; round <= 5; round++) {
      await driver.call("stop", PROFILE);
      const victim = tree.driver({ path });
      await expect(victim.call("start", PROFILE)).rejects.toThrow("the driver ended");
      const folder = join(tree.home, "profiles", PROFILE);
      await eventually(() => expect(processesIn(folder)).toEqual([]));
      expect(readFileSync(join(folder, ".gatewarden.json"), "utf8")).toMatch(
        /^\{"desired":"(?:running|stopped)",.*\}\n$/,
      );
    }
  });
});

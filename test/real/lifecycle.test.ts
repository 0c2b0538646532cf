import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Status } from "../../src/manager.ts";
import type { Driver } from "./helper/driver.ts";
import { processesIn, userOf } from "./helper/processes.ts";
import { prepareStage, type Stage } from "./helper/stage.ts";
import { eventually, startTree, type Tree } from "./helper/tree.ts";
import { uid } from "./helper/user.ts";

let stage: Stage;
beforeAll(() => {
  stage = prepareStage();
});
afterAll(() => stage.remove());

describe.each(["node", "deno"] as const)("on the tree of a user, under %s, a gateway", (runtime) => {
  let tree: Tree;
  let driver: Driver;
  beforeAll(async () => {
    tree = await startTree(stage);
    driver = tree.driver({ runtime });
  });
  afterAll(async () => {
    await driver.close();
    await tree.remove();
  });

  async function register(profile: string): Promise<Status & { readonly pid: number }> {
    tree.addProfile(profile);
    await driver.call("registerProfileGateway", profile);
    return await running(profile);
  }

  /** Its status once it has a process that is not the given one. */
  function running(profile: string, otherThan?: number): Promise<Status & { readonly pid: number }> {
    return eventually(async () => {
      const status = await driver.call("status", profile);
      if (status.pid === null || status.pid === otherThan) throw new Error(JSON.stringify(status));
      return { ...status, pid: status.pid };
    });
  }

  async function parked(profile: string, code: number): Promise<Status> {
    await tree.tell(profile, `exit ${code}`);
    return await eventually(async () => {
      const status = await driver.call("status", profile);
      if (status.state !== "parked") throw new Error(JSON.stringify(status));
      return status;
    });
  }

  it("runs as that user once it is registered", async () => {
    const status = await register("plain");
    expect(status).toMatchObject({
      manager: "s6",
      service: "gateway-plain",
      state: "running",
      desired: "running",
      enabled: true,
      wantUp: true,
      supervised: true,
      log: join(tree.home, "logs/gateways/plain"),
    });
    expect(userOf(status.pid)).toBe(uid);
    await eventually(() => expect(tree.log("plain")).toContain(`up as ${status.pid}`));
    expect(tree.log("plain")).toContain("arguments: -p plain gateway run --replace");
    expect(tree.log("plain")).toContain(
      `user ${uid}, home ${tree.home}, volume ${tree.home}, folder ${tree.home}, marker 1,`,
    );
  });

  it("that is the root profile works in the home itself", async () => {
    await driver.call("registerProfileGateway", "default");
    const { pid } = await running("default");
    await eventually(() => expect(tree.log("default")).toContain(`up as ${pid}`));
    expect(tree.log("default")).toContain("arguments: gateway run --replace");
    expect(readFileSync(join(tree.home, ".gatewarden.json"), "utf8")).toContain('"by":"register"');
  });

  it("gets its own environment, which others cannot read", async () => {
    tree.addProfile("greeted");
    await driver.call("registerProfileGateway", "greeted", { extraEnv: { GREETING: "it's $HOME" } });
    await eventually(() => expect(tree.log("greeted")).toContain("greeting it's $HOME"));
    expect(statSync(join(tree.scandir, "gateway-greeted/run")).mode & 0o777).toBe(0o700);
  });

  it("comes back with another pid when it is killed", async () => {
    const { pid } = await register("killed");
    process.kill(pid, "SIGKILL");
    const back = await running("killed", pid);
    expect(back.state).toBe("running");
    await eventually(() => expect(tree.log("killed")).toContain(`up as ${back.pid}`));
  });

  it("comes back when it ends with 75", async () => {
    const { pid } = await register("failing");
    await tree.tell("failing", "exit 75");
    expect((await running("failing", pid)).state).toBe("running");
  });

  it.each([
    [78, "exit code 78: configuration error (EX_CONFIG)"],
    [0, "exit code 0: finished on purpose"],
  ])("is parked, with the reason, when it ends with %i", async (code, parkedReason) => {
    await register(`ends-${code}`);
    expect(await parked(`ends-${code}`, code)).toMatchObject({
      pid: null,
      exitCode: code,
      signal: null,
      wantUp: false,
      enabled: true,
      desired: "running",
      supervised: true,
      parkedReason,
    });
  });

  it.each(["start", "restart"] as const)("that is parked comes up on %s", async (verb) => {
    const { pid } = await register(`${verb}ed`);
    await parked(`${verb}ed`, 78);
    await driver.call(verb, `${verb}ed`);
    const status = await driver.call("status", `${verb}ed`);
    expect(status).toMatchObject({ state: "running", wantUp: true, parkedReason: null });
    expect(status.pid).not.toBe(pid);
  });

  it("that runs gets a new process on restart, and the old one has drained", async () => {
    const { pid } = await register("again");
    await eventually(() => expect(tree.log("again")).toContain("up as"));
    await driver.call("restart", "again");
    const status = await driver.call("status", "again");
    expect(status).toMatchObject({ state: "running", desired: "running" });
    expect(status.pid).not.toBe(pid);
    expect(userOf(pid)).toBeUndefined();
    await eventually(() => expect(tree.log("again")).toMatch(/drained[^]*up as/));
  });

  it("that runs keeps its process on start", async () => {
    const { pid } = await register("kept");
    await driver.call("start", "kept");
    expect((await driver.call("status", "kept")).pid).toBe(pid);
  });

  it("is stopped and stays down until it is started", async () => {
    const { pid } = await register("stopped");
    await eventually(() => expect(tree.log("stopped")).toContain("up as"));
    await driver.call("stop", "stopped");
    expect(userOf(pid)).toBeUndefined();
    expect(await driver.call("status", "stopped")).toMatchObject({
      state: "stopped",
      pid: null,
      desired: "stopped",
      enabled: false,
      wantUp: false,
      parkedReason: null,
    });
    expect(await driver.call("isRunning", "stopped")).toBe(false);
    await driver.call("start", "stopped");
    expect(await driver.call("status", "stopped")).toMatchObject({
      state: "running",
      desired: "running",
      enabled: true,
    });
  });

  it("finds the planned-stop marker for its process when it is asked to stop", async () => {
    const { pid } = await register("marked");
    const startTime = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19]);
    await eventually(() => expect(tree.log("marked")).toContain("up as"));
    await driver.call("stop", "marked");
    await eventually(() => expect(tree.log("marked")).toContain("drained"));
    const [, marker = ""] = /planned stop: (.*)/.exec(tree.log("marked")) ?? [];
    expect(JSON.parse(marker)).toEqual({
      target_pid: pid,
      target_start_time: startTime,
      stopper_pid: expect.any(Number),
      written_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    });
  });

  it("that is registered to stay down starts only when it is started", async () => {
    tree.addProfile("down");
    await driver.call("registerProfileGateway", "down", { startNow: false });
    expect(await driver.call("status", "down")).toMatchObject({
      state: "stopped",
      supervised: true,
      pid: null,
    });
    expect(tree.log("down")).toBe("");
    await driver.call("start", "down");
    expect((await driver.call("status", "down")).state).toBe("running");
  });

  it("has its output in a log, each line with its time", async () => {
    await register("logged");
    await tree.tell("logged", "say hello");
    await eventually(() =>
      expect(tree.log("logged")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ {2}done: say hello$/m)
    );
  });

  it("cannot be registered twice", async () => {
    const { pid } = await register("twice");
    await expect(driver.call("registerProfileGateway", "twice")).rejects.toMatchObject({
      name: "GatewayAlreadyRegisteredError",
      hint: expect.stringContaining("gatewarden unregister twice"),
    });
    expect((await driver.call("status", "twice")).pid).toBe(pid);
  });

  it.each(["start", "stop", "restart"] as const)("that was never registered fails on %s", async (verb) => {
    await expect(driver.call(verb, "nobody")).rejects.toMatchObject({
      name: "GatewayNotRegisteredError",
      exitCode: 5,
    });
  });

  it("is listed while it is registered", async () => {
    await register("listed");
    expect(await driver.call("listProfileGateways")).toContain("listed");
    await driver.call("unregisterProfileGateway", "listed");
    expect(await driver.call("listProfileGateways")).not.toContain("listed");
  });

  it("leaves no process and no file when it is unregistered, whatever it was doing", async () => {
    await register("up");
    await register("halted");
    await driver.call("stop", "halted");
    await register("broken");
    await parked("broken", 78);
    const profiles = await driver.call("listProfileGateways");
    expect(profiles).toEqual(expect.arrayContaining(["up", "halted", "broken"]));
    for (const profile of profiles) {
      expect(await driver.call("unregisterProfileGateway", profile)).toEqual({ warnings: [] });
      expect(existsSync(join(tree.scandir, `gateway-${profile}`))).toBe(false);
    }
    expect(processesIn(tree.folder).map(({ name }) => name).sort()).toEqual([
      expect.any(String),
      "s6-svscan",
    ]);
    expect(readdirSync(tree.scandir)).toEqual([".s6-svscan"]);
    expect(await driver.call("status", "up")).toMatchObject({ state: "unregistered", desired: "stopped" });
    expect(tree.log("up")).toContain("drained");
    expect(await driver.call("unregisterProfileGateway", "up")).toEqual({ warnings: [] });
  });
});

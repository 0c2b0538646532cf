import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { GatewayFailedError, TimeoutError } from "../../src/errors.ts";
import { processStartTime } from "../../src/host/facts.ts";
import type { VerbOptions } from "../../src/manager.ts";
import { NEW_PID, PID, setStage, type Stage } from "./stub_stage.ts";

const VERBS = ["start", "stop", "restart"] as const;

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

describe("start", () => {
  it("asks for the gateway, waits for it, and sees that it stays up", async () => {
    stage.addSlot("coder", "parked");
    expect(await stage.manager.start("coder")).toEqual({ warnings: [] });
    expect(stage.calls()).toEqual([
      "s6-svc -wu -T 10000 -u SCANDIR/gateway-coder",
      "s6-svwait -D -t 500 SCANDIR/gateway-coder",
    ]);
  });

  it("lets a stopped gateway start by itself again, and records that it is to run", async () => {
    stage.addProfile("coder");
    stage.addSlot("coder");
    await stage.manager.stop("coder");
    expect(existsSync(join(slotOf("coder"), "down"))).toBe(true);
    await stage.manager.start("coder");
    expect(existsSync(join(slotOf("coder"), "down"))).toBe(false);
    expect(stage.readVolume("profiles/coder/.gatewarden.json")).toMatchObject({
      desired: "running",
      by: "start",
    });
  });

  it("fails when the gateway goes down again at once, says how it ended, and leaves all as it was", async () => {
    stage.addProfile("coder");
    stage.addSlot("coder");
    await stage.manager.stop("coder");
    stage.answer("s6-svwait", 0);
    const error = await stage.manager.start("coder").catch((error) => error);
    expect(error).toBeInstanceOf(GatewayFailedError);
    expect(error.message).toMatch(/^Cannot start gateway-coder: it came up and went down again at once\./);
    expect(error.hint).toBe("Its log says more: gatewarden logs coder");
    expect(existsSync(join(slotOf("coder"), "down"))).toBe(true);
    expect(stage.readVolume("profiles/coder/.gatewarden.json")).toMatchObject({ desired: "stopped" });
  });

  it("says also what it could not put back when it fails", async () => {
    stage.addSlot("coder");
    await stage.manager.stop("coder");
    stage.answer("s6-svwait", 0);
    const down = join(slotOf("coder"), "down");
    const manager = stage.managerWithoutSupervisor((step) => {
      if (step.do === "run" && step.argv[0]?.endsWith("s6-svwait")) writeFileSync(down, "");
    });
    const failing = manager.start("coder");
    await expect(failing).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^What was done could not all be undone: .*EEXIST.* Its log says more: gatewarden logs coder$/,
      ),
    });
  });

  it("returns at once with --no-wait", async () => {
    stage.addSlot("coder", "parked");
    await stage.manager.start("coder", { wait: false });
    expect(stage.calls()).toEqual(["s6-svc -u SCANDIR/gateway-coder"]);
  });
});

describe("stop", () => {
  it("asks the gateway to end, waits until it and its finish script have, and keeps it down", async () => {
    stage.addSlot("coder");
    expect(await stage.manager.stop("coder")).toEqual({ warnings: [] });
    expect(stage.calls()).toEqual(["s6-svc -wD -T 80000 -d SCANDIR/gateway-coder"]);
    expect(existsSync(join(slotOf("coder"), "down"))).toBe(true);
  });

  it("announces each stop in that profile's own folder", async () => {
    for (const profile of ["a", "b"]) {
      stage.addProfile(profile);
      stage.addSlot(profile);
    }
    await stage.manager.stop("a");
    expect(stage.readVolume("profiles/a/.gateway-planned-stop.json")).toMatchObject({
      target_pid: PID,
      target_start_time: processStartTime(PID),
      stopper_pid: PID,
    });
    expect(stage.readVolume("profiles/b/.gateway-planned-stop.json")).toBeUndefined();
    expect(stage.readVolume(".gateway-planned-stop.json")).toBeUndefined();
    expect(stage.readVolume("profiles/a/.gatewarden.json")).toMatchObject({ desired: "stopped", by: "stop" });
  });

  it("announces the stop of the root profile in the volume itself", async () => {
    stage.addSlot("default");
    await stage.manager.stop("default");
    expect(stage.readVolume(".gateway-planned-stop.json")).toMatchObject({ target_pid: PID });
  });

  it("stops all the same when it cannot be announced, and says so", async () => {
    const folder = stage.addProfile("coder");
    stage.addSlot("coder");
    for (const name of [".gateway-planned-stop.json", ".gatewarden.json"]) {
      rmSync(join(folder, name), { force: true });
      mkdirSync(join(folder, name));
    }
    const { warnings } = await stage.manager.stop("coder");
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^Cannot write \S+\/\.gateway-planned-stop\.json .*for this stop: /);
    expect(await stage.manager.isRunning("coder")).toBe(false);
  });

  it("does not stay down for good when the stop fails", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 99);
    await expect(stage.manager.stop("coder")).rejects.toBeInstanceOf(TimeoutError);
    expect(existsSync(join(slotOf("coder"), "down"))).toBe(false);
  });
});

describe("restart", () => {
  it("stops, starts, and sees that there is a new process", async () => {
    stage.addSlot("coder");
    expect(await stage.manager.restart("coder")).toEqual({ warnings: [] });
    expect(stage.calls()).toEqual([
      "s6-svc -wD -T 80000 -d SCANDIR/gateway-coder",
      "s6-svc -wu -T 10000 -u SCANDIR/gateway-coder",
      "s6-svwait -D -t 500 SCANDIR/gateway-coder",
    ]);
    expect(await stage.manager.status("coder")).toMatchObject({ pid: NEW_PID });
  });

  it.each(["parked", "parked-0", "down-by-svc", "never-started"])("brings up what was %s", async (state) => {
    stage.addSlot("coder", state);
    await stage.manager.restart("coder");
    expect(await stage.manager.isRunning("coder")).toBe(true);
  });
});

describe("a verb that s6 says has worked", () => {
  /** A manager on the same stage whose supervisor does not do what it is told to. */
  const deaf = (): Stage["manager"] => stage.managerWithoutSupervisor();

  it.each<[typeof VERBS[number], string, RegExp]>([
    [
      "start",
      "parked",
      /^Cannot start gateway-coder: it is not up\. It is parked: exit code 78: configuration/,
    ],
    ["stop", "up", /^Cannot stop gateway-coder: it still runs\./],
    ["restart", "up", /^Cannot restart gateway-coder: its process is still the old one, \d+\./],
  ])("is no success while the record does not show it: %s", async (verb, state, message) => {
    stage.addSlot("coder", state);
    const failing = deaf()[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(GatewayFailedError);
    await expect(failing).rejects.toThrow(message);
  });

  it.each(VERBS)("is not looked at any more with --no-wait: %s", async (verb) => {
    stage.addSlot("coder", verb === "stop" ? "up" : "parked");
    const options: VerbOptions = { wait: false };
    expect(await deaf()[verb]("coder", options)).toEqual({ warnings: [] });
  });
});

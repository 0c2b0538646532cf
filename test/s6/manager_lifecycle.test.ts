import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  GatewayFailedError,
  GatewayNotRegisteredError,
  InvalidProfileNameError,
  PermissionError,
  ProgramNotFoundError,
  S6CommandError,
  TimeoutError,
  UsageError,
} from "../../src/errors.ts";
import { processStartTime } from "../../src/host/facts.ts";
import type { VerbOptions } from "../../src/manager.ts";
import { NEW_PID, PID, setStage, type Stage } from "./stub_stage.ts";

const VERBS = ["start", "stop", "restart"] as const;

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

describe.each(VERBS)("%s", (verb) => {
  it("refuses a profile without a slot before any program of s6 is run", async () => {
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(GatewayNotRegisteredError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot ${verb} "coder": no gateway of that name is registered.`,
      profile: "coder",
      code: "gateway-not-registered",
      exitCode: 5,
    });
    expect(stage.calls()).toEqual([]);
  });

  it("says so even where s6 is not installed", async () => {
    vi.stubEnv("PATH", stage.volume);
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(GatewayNotRegisteredError);
  });

  it("tells to register a profile that is there, and to create one that is not", async () => {
    stage.addProfile("coder");
    await expect(stage.manager[verb]("coder")).rejects.toMatchObject({
      hint: "The profile is there. Register it with: gatewarden register coder",
    });
    await expect(stage.manager[verb]("default")).rejects.toMatchObject({
      hint: "The profile is there. Register it with: gatewarden register default",
    });
    await expect(stage.manager[verb]("nobody")).rejects.toMatchObject({
      hint: `There is no profile of that name either (no folder ${join(stage.volume, "profiles/nobody")}). ` +
        "Create it, then run: gatewarden register nobody",
    });
  });

  it("takes no file, link or folder of another name for its slot", async () => {
    writeFileSync(slotOf("coder"), "");
    mkdirSync(join(stage.scandir, "coder"));
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(GatewayNotRegisteredError);
  });

  it("refuses a name that breaks the rules, and a scandir that is not there", async () => {
    await expect(stage.manager[verb]("../coder")).rejects.toBeInstanceOf(InvalidProfileNameError);
    rmSync(stage.scandir, { recursive: true });
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(UsageError);
  });

  it("fails with a typed error where s6 is gone", async () => {
    stage.addSlot("coder");
    vi.stubEnv("PATH", stage.volume);
    await expect(stage.manager[verb]("coder")).rejects.toBeInstanceOf(ProgramNotFoundError);
  });

  it("fails with what s6-svc said, for which service, and with which exit code", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 111);
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(S6CommandError);
    await expect(failing).rejects.toMatchObject({
      service: "gateway-coder",
      action: verb,
      commandExitCode: 111,
      exitCode: 1,
    });
  });

  it("fails for want of permission where the caller may not control the service", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 111);
    // Like a FIFO that may not be written to, a folder cannot be opened for writing.
    rmSync(join(slotOf("coder"), "supervise/control"));
    mkdirSync(join(slotOf("coder"), "supervise/control"));
    const failing = stage.manager[verb]("coder");
    await expect(failing).rejects.toBeInstanceOf(PermissionError);
    await expect(failing).rejects.toMatchObject({
      exitCode: 4,
      hint: "Run it as root, as the user the scandir belongs to, or as a member of its group.",
      cause: expect.any(S6CommandError),
    });
  });

  it.each([100, 102])(
    "says that nothing supervises the service, and what to do: exit code %i",
    async (code) => {
      stage.addSlot("coder");
      stage.answer("s6-svc", code);
      await expect(stage.manager[verb]("coder")).rejects.toMatchObject({
        code: "s6-command",
        hint: `No s6-supervise runs on ${slotOf("coder")}. Is an s6-svscan running on ${stage.scandir}? ` +
          `It looks again on: s6-svscanctl -a ${stage.scandir}`,
      });
    },
  );

  it("names the time limit that was reached, the caller's if there is one", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 99);
    const late = stage.manager[verb]("coder", { timeoutMs: 1500 });
    await expect(late).rejects.toBeInstanceOf(TimeoutError);
    await expect(late).rejects.toMatchObject({
      message: expect.stringContaining(`Cannot ${verb} gateway-coder within 1.5 s: the gateway `),
      hint: "Give it more time with --timeout SECONDS.",
    });
  });
});

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

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NoServiceManagerError, S6CommandError, UnsupportedError, UsageError } from "../src/errors.ts";
import { HERMES } from "../src/gateway/definition.ts";
import { readHostFacts } from "../src/host/facts.ts";
import type { HostFacts, Step } from "../src/manager.ts";
import { detectServiceManager, getServiceManager } from "../src/registry.ts";
import { S6ServiceManager } from "../src/s6/manager.ts";
import { setStage } from "./s6/stub_stage.ts";
import { temporaryFolder } from "./temporary_folder.ts";

const bare: HostFacts = {
  platform: "linux",
  pid1: "init",
  s6Basedir: false,
  withContenv: false,
  systemdBooted: false,
  systemctl: false,
};
const MACHINES: Readonly<Record<"s6" | "systemd" | "launchd" | "windows", HostFacts>> = {
  s6: { ...bare, pid1: "s6-svscan", s6Basedir: true },
  systemd: { ...bare, pid1: "systemd", systemdBooted: true, systemctl: true },
  launchd: { ...bare, platform: "darwin", pid1: undefined },
  windows: { ...bare, platform: "win32", pid1: undefined },
};

describe("getServiceManager", () => {
  it("gives the manager of a machine that runs s6", async () => {
    const manager = await getServiceManager({ facts: MACHINES.s6 });
    expect(manager).toBeInstanceOf(S6ServiceManager);
    expect(manager.kind).toBe("s6");
  });

  it("gives the manager that is asked for, whatever the machine runs", async () => {
    for (const facts of [bare, MACHINES.systemd]) {
      expect((await getServiceManager({ manager: "s6", facts })).kind).toBe("s6");
    }
    expect((await getServiceManager({ manager: "s6" })).kind).toBe("s6");
  });

  it("says what it found, and what can be done, where nothing is usable", async () => {
    const failing = getServiceManager({ facts: bare });
    await expect(failing).rejects.toBeInstanceOf(NoServiceManagerError);
    await expect(failing).rejects.toMatchObject({
      message: "Cannot find a service manager on this machine: s6: process 1 is init, not s6-svscan; " +
        "windows: this is not Windows; launchd: this is not macOS; " +
        "systemd: /run/systemd/system is not there, so systemd does not run.",
      hint: "If an s6-svscan of your own runs, name its folder with --scandir DIR. Where s6 is installed, " +
        "one is started with: gatewarden tree run",
      exitCode: 3,
    });
  });

  it.each(
    [
      ["systemd", "systemd"],
      ["launchd", "launchd"],
      ["windows", "the Windows Task Scheduler"],
    ] as const,
  )("says plainly that it cannot manage through %s yet, found or asked for", async (kind, name) => {
    for (const settings of [{ facts: MACHINES[kind] }, { manager: kind, facts: bare }]) {
      const failing = getServiceManager(settings);
      await expect(failing).rejects.toBeInstanceOf(UnsupportedError);
      await expect(failing).rejects.toMatchObject({
        message: `Cannot manage gateways through ${name}: this version of Gatewarden knows only s6.`,
        hint: "To use an s6 of your own, start s6-svscan on a folder and pass --manager s6 --scandir DIR.",
        exitCode: 3,
      });
    }
  });

  it.each(["runit", "", "constructor"])("refuses a manager that is none: %j", async (kind) => {
    const failing = getServiceManager({ manager: kind as "s6", facts: bare });
    await expect(failing).rejects.toBeInstanceOf(UsageError);
    await expect(failing).rejects.toThrow(
      `Cannot use ${JSON.stringify(kind)} as a manager: it is none of s6, systemd, launchd, windows.`,
    );
  });

  it("hands the scandir, the definition and the facts on", async () => {
    const scandir = temporaryFolder();
    mkdirSync(join(scandir, "relay-eu"));
    const manager = await getServiceManager({
      manager: "s6",
      scandir,
      definition: { ...HERMES, servicePrefix: "relay-" },
      facts: { ...bare, withContenv: true },
    });
    expect(await manager.listProfileGateways()).toEqual(["eu"]);
    expect(manager.render("eu")[0]?.path).toMatch(/^relay-eu\//);
    expect(manager.render("eu").find(({ path }) => path === "relay-eu/run")?.text).toMatch(
      /^#!\/command\/with-contenv sh\n/,
    );
  });

  it("tells each step before it is taken", async () => {
    const { scandir, definition, answer, entries } = setStage();
    answer("s6-svscanctl", 100);
    const steps: [Step["do"], number][] = [];
    const onStep = (step: Step): void => void steps.push([step.do, entries().length]);
    const manager = await getServiceManager({ manager: "s6", scandir, definition, onStep });
    await expect(manager.registerProfileGateway("coder")).rejects.toBeInstanceOf(S6CommandError);
    expect(steps[0]).toEqual(["mkdir", 0]);
    expect(steps[1]).toEqual(["mkdir", 1]);
    expect(steps.map(([name]) => name)).toContain("rename");
  });
});

describe("detectServiceManager", () => {
  it("looks at this machine and gives a reason, as any user", async () => {
    const { kind, reason, considered } = await detectServiceManager();
    expect(["s6", "systemd", "launchd", "windows", "none"]).toContain(kind);
    expect(reason).not.toBe("");
    expect(considered.map((one) => one.kind)).toEqual(["s6", "windows", "launchd", "systemd"]);
    expect(considered[0]?.found).toBe(readHostFacts().pid1 === "s6-svscan" && readHostFacts().s6Basedir);
  });
});

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidProfileNameError, UsageError } from "../../src/errors.ts";
import { readHostFacts } from "../../src/host/facts.ts";
import { DEFAULT_SCANDIR, S6ServiceManager } from "../../src/s6/manager.ts";
import { PID, setStage, type Stage } from "./stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});

const addSlot = (service: string): void => mkdirSync(join(stage.scandir, service));

describe("listProfileGateways", () => {
  it("lists our own services by profile, sorted, and nothing else", async () => {
    const others = ["sshd", "gateway", "gateway-", "gateway-A", "gatewayx", "other-coder", "GATEWAY-x"];
    const dotted = [".s6-svscan", ".gateway-hidden", ".gatewarden-gateway-new.new.1-2-3-0"];
    for (const name of ["gateway-coder", "gateway-a_b", "gateway-default", ...others, ...dotted]) {
      addSlot(name);
    }
    writeFileSync(join(stage.scandir, "gateway-file"), "");
    symlinkSync("gateway-coder", join(stage.scandir, "gateway-link"));
    expect(await stage.manager.listProfileGateways()).toEqual(["a_b", "coder", "default"]);
    expect(stage.calls()).toEqual([]);
  });

  it("lists those of the definition it is given", async () => {
    for (const name of ["gateway-a", "relay-b"]) addSlot(name);
    const definition = { ...stage.definition, servicePrefix: "relay-" };
    const manager = new S6ServiceManager({ scandir: stage.scandir, definition });
    expect(await manager.listProfileGateways()).toEqual(["b"]);
  });

  it("lists none where there are none", async () => {
    expect(await stage.manager.listProfileGateways()).toEqual([]);
  });
});

describe("status and isRunning", () => {
  it("say unregistered of a profile without a slot", async () => {
    expect(await stage.manager.status("coder")).toMatchObject({ state: "unregistered", supervised: false });
    expect(await stage.manager.isRunning("coder")).toBe(false);
    expect(stage.calls()).toEqual([]);
  });

  it("read the record, and run no program for it", async () => {
    addSlot("gateway-coder");
    stage.supervise("gateway-coder", "up");
    expect(await stage.manager.status("coder")).toMatchObject({
      manager: "s6",
      profile: "coder",
      service: "gateway-coder",
      state: "running",
      pid: PID,
      enabled: true,
      supervised: true,
      desired: null,
      log: join(stage.volume, "logs/gateways/coder"),
    });
    expect(await stage.manager.isRunning("coder")).toBe(true);
    expect(stage.calls()).toEqual([]);
  });

  it("say parked of what the exit policy keeps down, and stopped of what the operator does", async () => {
    addSlot("gateway-coder");
    stage.supervise("gateway-coder", "parked");
    expect(await stage.manager.status("coder")).toMatchObject({ state: "parked", exitCode: 78 });
    writeFileSync(join(stage.addProfile("coder"), ".gatewarden.json"), '{"desired":"stopped"}');
    expect(await stage.manager.status("coder")).toMatchObject({ state: "stopped", desired: "stopped" });
  });

  it("trust no record that nobody keeps", async () => {
    addSlot("gateway-coder");
    mkdirSync(join(stage.scandir, "gateway-coder/supervise"));
    stage.supervise("gateway-other", "up");
    expect(await stage.manager.status("coder")).toMatchObject({
      state: "stopped",
      supervised: false,
      pid: null,
    });
    expect(await stage.manager.status("other")).toMatchObject({ state: "running", supervised: true });
  });

  it("ask s6-svstat where the record is of a kind that is not known", async () => {
    addSlot("gateway-coder");
    stage.supervise("gateway-coder", "up");
    writeFileSync(join(stage.scandir, "gateway-coder/supervise/status"), "something newer");
    const stamp = "@400000006b0ef1b4075409d4";
    vi.stubEnv("STUB_S6_SVSTAT_OUT", `true true false false ${PID} -1 -1 ${stamp} ${stamp}`);
    expect(await stage.manager.status("coder")).toMatchObject({ state: "running", pid: PID });
    expect(stage.calls()).toEqual([
      "s6-svstat -o up,wantedup,ready,paused,pid,exitcode,signum,updownsince,readysince SCANDIR/gateway-coder",
    ]);
    stage.answer("s6-svstat", 1);
    expect(await stage.manager.status("coder")).toMatchObject({ state: "unknown", pid: null });
  });

  it("read intent from the volume that the environment names, from the home where it names none", async () => {
    const profile = stage.addProfile("coder");
    writeFileSync(join(profile, ".gatewarden.json"), '{"desired":"running"}');
    expect(await stage.manager.status("coder")).toMatchObject({ desired: "running" });
    for (const unset of ["", undefined]) {
      vi.stubEnv("HERMES_HOME", unset);
      expect(await stage.manager.status("coder")).toMatchObject({
        desired: "running",
        log: join(stage.volume, "logs/gateways/coder"),
      });
    }
    vi.stubEnv("HERMES_HOME", join(stage.volume, "elsewhere"));
    expect(await stage.manager.status("coder")).toMatchObject({ desired: null });
  });

  it("refuse a name that breaks the rules", async () => {
    await expect(stage.manager.status("../coder")).rejects.toBeInstanceOf(InvalidProfileNameError);
    await expect(stage.manager.isRunning("")).rejects.toBeInstanceOf(InvalidProfileNameError);
  });
});

describe("a scandir", () => {
  const looks: readonly (readonly [string, (manager: S6ServiceManager) => Promise<unknown>])[] = [
    ["status", (manager) => manager.status("coder")],
    ["list", (manager) => manager.listProfileGateways()],
    ["register", (manager) => manager.registerProfileGateway("coder")],
    ["unregister", (manager) => manager.unregisterProfileGateway("coder")],
    ["plan", (manager) => manager.plan("start", "coder")],
  ];

  it.each(looks)("that is not there is refused, with what to name: %s", async (_, look) => {
    rmSync(stage.scandir, { recursive: true });
    const failing = look(stage.manager);
    await expect(failing).rejects.toBeInstanceOf(UsageError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot use ${stage.scandir} as a scandir: there is no such folder.`,
      hint: "Name the folder that s6-svscan watches, itself, with --scandir DIR.",
      exitCode: 2,
    });
  });

  it.each<[string, (path: string) => void]>([
    ["it is no folder", (path) => writeFileSync(path, "")],
    ["it is a link", (path) => symlinkSync("volume", path)],
  ])("that is something else is refused: %s", async (why, put) => {
    rmSync(stage.scandir, { recursive: true });
    put(stage.scandir);
    await expect(stage.manager.status("coder")).rejects.toThrow(
      `Cannot use ${stage.scandir} as a scandir: ${why}.`,
    );
  });

  it("is s6-overlay's when none is named", () => {
    expect(DEFAULT_SCANDIR).toBe("/run/service");
  });
});

describe("what an S6ServiceManager is", () => {
  it("is of the kind s6, and can register at run time", () => {
    expect(stage.manager.kind).toBe("s6");
    expect(stage.manager.supportsRuntimeRegistration()).toBe(true);
  });

  it.each([[true, "#!/command/with-contenv sh"], [false, "#!/bin/sh"]])(
    "renders for the machine it is told of: with-contenv %s",
    (withContenv, shebang) => {
      const manager = new S6ServiceManager({}, { ...readHostFacts(), withContenv });
      const run = manager.render("coder").find(({ path }) => path === "gateway-coder/run");
      expect(run?.text.split("\n")[0]).toBe(shebang);
    },
  );

  it("gives the folder of a profile's log, the root profile's too", async () => {
    expect(await stage.manager.logDirectory("default")).toBe(join(stage.volume, "logs/gateways/default"));
    await expect(stage.manager.logDirectory("../x")).rejects.toBeInstanceOf(InvalidProfileNameError);
  });

  it("plans what it would do, and does nothing", async () => {
    const plan = await stage.manager.plan("register", "coder");
    expect(plan).toMatchObject({
      verb: "register",
      profile: "coder",
      service: "gateway-coder",
      leftovers: [],
    });
    expect(plan.steps.length).toBeGreaterThan(10);
    expect([stage.entries(), stage.calls()]).toEqual([[], []]);
  });
});

/**
 * The tests that the project was started from whose headings are given and whose bodies are not, as far as they are
 * about S6ServiceManager on a scandir without a real s6: one block for each heading, found by its words.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  GatewardenError,
  GatewayAlreadyRegisteredError,
  GatewayNotRegisteredError,
  S6CommandError,
} from "../src/errors.ts";
import { PID, setStage, type Stage } from "./s6/stub_stage.ts";

let stage: Stage;
beforeEach(() => {
  stage = setStage();
});
const slotOf = (profile: string): string => join(stage.scandir, `gateway-${profile}`);

describe("Lifecycle delegation — wrappers must call through to module-level fns", () => {
  it.each(
    [
      ["start", [
        "s6-svc -wu -T 10000 -u SCANDIR/gateway-coder",
        "s6-svwait -D -t 500 SCANDIR/gateway-coder",
      ]],
      ["stop", ["s6-svc -wD -T 80000 -d SCANDIR/gateway-coder"]],
      ["restart", [
        "s6-svc -wD -T 80000 -d SCANDIR/gateway-coder",
        "s6-svc -wu -T 10000 -u SCANDIR/gateway-coder",
        "s6-svwait -D -t 500 SCANDIR/gateway-coder",
      ]],
    ] as const,
  )("%s calls s6", async (verb, calls) => {
    stage.addSlot("coder");
    const before = stage.calls().length;
    await stage.manager[verb]("coder");
    expect(stage.calls().slice(before)).toEqual(calls);
  });

  it("is_running reads what s6 has recorded", async () => {
    stage.addSlot("coder");
    expect(await stage.manager.isRunning("coder")).toBe(true);
    stage.supervise("gateway-coder", "down-by-svc");
    expect(await stage.manager.isRunning("coder")).toBe(false);
  });
});

describe("S6ServiceManager — unit tests against a tmp-path scandir (no real s6)", () => {
  it("register creates the slot's files, scripts that can be run", async () => {
    await stage.manager.registerProfileGateway("coder");
    const modes = ["run", "finish", "log/run"].map((name) =>
      statSync(join(slotOf("coder"), name)).mode & 0o777
    );
    expect(modes).toEqual([0o755, 0o755, 0o755]);
    expect(readFileSync(join(slotOf("coder"), "type"), "utf8")).toBe("longrun\n");
  });

  it("register writes a run script that starts that profile, with its variables quoted", async () => {
    await stage.manager.registerProfileGateway("coder", { extraEnv: { FOO: "bar baz" } });
    const run = readFileSync(join(slotOf("coder"), "run"), "utf8");
    expect(run).toContain("hermes -p coder gateway run --replace");
    expect(run).toContain("FOO='bar baz'");
  });

  it("register refuses a profile that is registered already", async () => {
    await stage.manager.registerProfileGateway("coder");
    await expect(stage.manager.registerProfileGateway("coder")).rejects.toBeInstanceOf(
      GatewayAlreadyRegisteredError,
    );
  });

  it("register with start_now false leaves a down file, and else none", async () => {
    await stage.manager.registerProfileGateway("later", { startNow: false });
    await stage.manager.registerProfileGateway("now");
    expect(["later", "now"].map((profile) => existsSync(join(slotOf(profile), "down")))).toEqual([
      true,
      false,
    ]);
  });

  it("register has s6-svscan look again", async () => {
    await stage.manager.registerProfileGateway("coder");
    expect(stage.calls()).toEqual(["s6-svscanctl -a SCANDIR"]);
  });

  it("register leaves nothing behind when that fails", async () => {
    stage.answer("s6-svscanctl", 111);
    await expect(stage.manager.registerProfileGateway("coder")).rejects.toBeInstanceOf(S6CommandError);
    expect(readdirSync(stage.scandir)).toEqual([]);
  });

  it("unregister takes the slot away, and an absent one for done", async () => {
    await stage.manager.registerProfileGateway("coder");
    await stage.manager.unregisterProfileGateway("coder");
    expect(readdirSync(stage.scandir)).toEqual([]);
    await stage.manager.unregisterProfileGateway("coder");
  });

  it("list gives the profiles, and no other service", async () => {
    await stage.manager.registerProfileGateway("b");
    await stage.manager.registerProfileGateway("a");
    mkdirSync(join(stage.scandir, "sshd"));
    expect(await stage.manager.listProfileGateways()).toEqual(["a", "b"]);
  });
});

describe("Lifecycle errors — friendly messages, not raw CalledProcessError", () => {
  it.each(["start", "stop", "restart"] as const)(
    "%s of what is not registered says what to do",
    async (verb) => {
      const error = await stage.manager[verb]("typo").catch((error) => error);
      expect(error).toBeInstanceOf(GatewayNotRegisteredError);
      expect(error.message).toBe(`Cannot ${verb} "typo": no gateway of that name is registered.`);
      expect(error.hint).toContain("gatewarden register typo");
      expect(stage.calls()).toEqual([]);
    },
  );

  it("a failure of s6 carries the service, the action, the exit code and what was said", async () => {
    stage.addSlot("coder");
    stage.answer("s6-svc", 111);
    const error = await stage.manager.start("coder").catch((error) => error);
    expect(error).toBeInstanceOf(S6CommandError);
    expect(error).toBeInstanceOf(GatewardenError);
    expect(error).toMatchObject({
      service: "gateway-coder",
      action: "start",
      commandExitCode: 111,
      stderr: "",
    });
  });
});

describe("S6 stop writes a planned-stop marker (issue #42675)", () => {
  it("for the process that is stopped, in its profile's folder, before the stop", async () => {
    stage.addProfile("coder");
    stage.addSlot("coder");
    const plan = await stage.manager.plan("stop", "coder");
    const [first] = plan.steps;
    expect(first).toMatchObject({
      do: "replace",
      path: join(stage.volume, "profiles/coder/.gateway-planned-stop.json"),
    });
    await stage.manager.stop("coder");
    expect(stage.readVolume("profiles/coder/.gateway-planned-stop.json")).toMatchObject({
      target_pid: PID,
    });
  });

  it("not for a restart, and not for another profile", async () => {
    for (const profile of ["coder", "other"]) {
      stage.addProfile(profile);
      stage.addSlot(profile);
    }
    await stage.manager.restart("coder");
    await stage.manager.stop("other");
    expect(stage.readVolume("profiles/coder/.gateway-planned-stop.json")).toBeUndefined();
  });

  it("as best it can: the gateway is stopped all the same when it cannot be written", async () => {
    mkdirSync(join(stage.addProfile("coder"), ".gateway-planned-stop.json"));
    stage.addSlot("coder");
    expect((await stage.manager.stop("coder")).warnings).toHaveLength(1);
    expect(await stage.manager.isRunning("coder")).toBe(false);
  });
});

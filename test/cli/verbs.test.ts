import { describe, expect, it } from "vitest";
import { PermissionError, TimeoutError } from "../../src/errors.ts";
import { FakeManager, gatewarden } from "./harness.ts";

const EACH = ["start", "stop", "restart"] as const;
const DONE = { start: "Started", stop: "Stopped", restart: "Restarted" };

describe.each(EACH)("%s", (verb) => {
  it("acts on each profile once, and says so", async () => {
    const manager = new FakeManager("a", "b");
    const result = await gatewarden(manager, [verb, "b", "a", "b"]);
    expect(manager.calls).toEqual([`${verb} b {}`, `${verb} a {}`]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: `${DONE[verb]} "b".\n${DONE[verb]} "a".\n`,
      stderr: "",
    });
  });

  it("does not wait with --no-wait, and does not claim that it is done", async () => {
    const manager = new FakeManager("a");
    const result = await gatewarden(manager, [verb, "a", "--no-wait"]);
    expect(manager.calls).toEqual([`${verb} a {"wait":false}`]);
    expect(result.stdout).toBe(`Asked "a" to ${verb}.\n`);
  });

  it("hands the time limit on in milliseconds", async () => {
    const manager = new FakeManager("a");
    await gatewarden(manager, [verb, "a", "--timeout", "2.5"]);
    expect(manager.calls).toEqual([`${verb} a {"timeoutMs":2500}`]);
  });

  it("goes on after a failure, reports it, and exits with the code of the first", async () => {
    const manager = new FakeManager("a", "b", "c");
    manager.act = (profile) => {
      if (profile === "a") throw new PermissionError("Cannot reach a.", { hint: "Ask root." });
      if (profile === "b") throw new TimeoutError({ what: "end b", limitMs: 1000, stillThere: "it runs" });
      return { warnings: [] };
    };
    const result = await gatewarden(manager, [verb, "a", "b", "c"]);
    expect(result).toMatchObject({
      exitCode: 4,
      stdout: `${DONE[verb]} "c".\n`,
      stderr: "gatewarden: Cannot reach a.\nAsk root.\ngatewarden: Cannot end b within 1 s: it runs.\n",
    });
  });

  it("gives the results in the order of the profiles, whichever is done first", async () => {
    const manager = new FakeManager("slow", "fast");
    let releaseSlow = (): void => {};
    const slow = new Promise<void>((resolve) => releaseSlow = resolve);
    manager.act = async (profile) => {
      if (profile === "slow") await slow;
      else releaseSlow();
      return { warnings: [] };
    };
    const { stdout } = await gatewarden(manager, [verb, "slow", "fast"]);
    expect(stdout).toBe(`${DONE[verb]} "slow".\n${DONE[verb]} "fast".\n`);
  });

  it("acts on all registered profiles with --all", async () => {
    const manager = new FakeManager("a", "b");
    await gatewarden(manager, [verb, "--all"]);
    expect(manager.calls).toEqual([`${verb} a {}`, `${verb} b {}`]);
  });

  it("has nothing to do with --all when none is registered, and that is no failure", async () => {
    const result = await gatewarden(new FakeManager(), [verb, "--all"]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: `No gateway is registered: there is nothing to ${verb}.\n`,
    });
  });

  it.each([
    [[], "no profile is named"],
    [["--all", "a"], "profiles are named, and --all is given too"],
  ])("refuses %j", async (more, reason) => {
    const manager = new FakeManager("a");
    const result = await gatewarden(manager, [verb, ...more]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(`gatewarden: Cannot ${verb}: ${reason}.\n`);
    expect(manager.calls).toEqual([]);
  });

  it("prints one JSON document, failures included, and each failure as JSON", async () => {
    const result = await gatewarden(new FakeManager("a"), [verb, "a", "x", "--json"]);
    const error = {
      code: "gateway-not-registered",
      message: `Cannot ${verb} "x": no gateway of that name is registered.`,
      hint: "Register it.",
    };
    expect(result.exitCode).toBe(5);
    expect(JSON.parse(result.stdout)).toEqual([
      { profile: "a", verb, ok: true, warnings: [] },
      { profile: "x", verb, ok: false, warnings: [], error },
    ]);
    expect(JSON.parse(result.stderr)).toEqual({ error: { ...error, profile: "x" } });
  });

  it("prints warnings to standard error, also with --quiet", async () => {
    const manager = new FakeManager("a");
    manager.act = () => ({ warnings: ["Cannot write the marker."] });
    const result = await gatewarden(manager, [verb, "-q", "a"]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "gatewarden: warning: Cannot write the marker.\n",
    });
  });

  it("prints the steps with --dry-run, and does nothing", async () => {
    const manager = new FakeManager("a", "b");
    const one = await gatewarden(manager, [verb, "a", "--dry-run"]);
    expect(one).toMatchObject({ exitCode: 0, stdout: "remove /run/service/gateway-a\n" });
    const two = await gatewarden(manager, [verb, "a", "x", "b", "--dry-run"]);
    expect(two.exitCode).toBe(5);
    expect(two.stdout).toBe(
      `# ${verb} a\nremove /run/service/gateway-a\n# ${verb} b\nremove /run/service/gateway-b\n`,
    );
    expect(manager.calls).toEqual([]);
  });

  it("prints the plans as data with --dry-run --json", async () => {
    const { stdout } = await gatewarden(new FakeManager("a"), [verb, "a", "--dry-run", "--json"]);
    expect(JSON.parse(stdout)).toEqual([
      {
        verb,
        profile: "a",
        service: "gateway-a",
        steps: [{ do: "remove", path: "/run/service/gateway-a" }],
      },
    ]);
  });
});

describe("unregister", () => {
  it("acts on several profiles", async () => {
    const manager = new FakeManager("a", "b");
    const result = await gatewarden(manager, ["unregister", "a", "b", "--timeout=3"]);
    expect(manager.calls).toEqual([`unregister a {"timeoutMs":3000}`, `unregister b {"timeoutMs":3000}`]);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: `"a" is not registered any more.\n"b" is not registered any more.\n`,
    });
  });

  it("knows no --all: what is to be lost is named", async () => {
    const manager = new FakeManager("a");
    expect(await gatewarden(manager, ["unregister", "--all"])).toMatchObject({ exitCode: 2 });
    expect(manager.calls).toEqual([]);
  });
});

describe("register", () => {
  it("registers and starts, with the environment of the flags", async () => {
    const manager = new FakeManager();
    const result = await gatewarden(manager, [
      "register",
      "a",
      "--env",
      "B=x y",
      "-e",
      "A=b=c",
      "--env",
      "E=",
    ]);
    expect(manager.calls).toEqual([
      `register a {"extraEnv":{"B":"x y","A":"b=c","E":""},"startNow":true}`,
    ]);
    expect(result).toMatchObject({ exitCode: 0, stdout: `Registered and started "a".\n` });
  });

  it("leaves it down with --down, and says so", async () => {
    const manager = new FakeManager();
    const result = await gatewarden(manager, ["register", "a", "--down", "--timeout", "7"]);
    expect(manager.calls).toEqual([`register a {"timeoutMs":7000,"startNow":false}`]);
    expect(result.stdout).toBe(`Registered "a"; it is down.\n`);
  });

  it("takes one profile", async () => {
    const manager = new FakeManager();
    expect(await gatewarden(manager, ["register", "a", "b"])).toMatchObject({
      exitCode: 2,
      stderr:
        `gatewarden: Cannot run gatewarden register: "b" is one argument too many.\nSee: gatewarden register --help\n`,
    });
    expect(await gatewarden(manager, ["register"])).toMatchObject({ exitCode: 2 });
    expect(manager.calls).toEqual([]);
  });

  it("prints one JSON document", async () => {
    const { stdout } = await gatewarden(new FakeManager(), ["register", "a", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ profile: "a", verb: "register", ok: true, warnings: [] });
  });

  it("prints the steps with --dry-run", async () => {
    const manager = new FakeManager();
    const { stdout } = await gatewarden(manager, ["register", "a", "--dry-run"]);
    expect(stdout).toBe("remove /run/service/gateway-a\n");
    expect(manager.calls).toEqual([]);
  });
});

describe("list", () => {
  it("prints a profile a line", async () => {
    expect(await gatewarden(new FakeManager("a", "b"), ["list"])).toMatchObject({
      exitCode: 0,
      stdout: "a\nb\n",
      stderr: "",
    });
  });

  it("prints an array with --json, also an empty one", async () => {
    expect((await gatewarden(new FakeManager("a"), ["list", "--json"])).stdout).toBe(`[\n  "a"\n]\n`);
    expect(await gatewarden(new FakeManager(), ["list", "--json"])).toMatchObject({
      stdout: "[]\n",
      stderr: "",
    });
  });

  it("says when there is none, where it does not disturb a script", async () => {
    expect(await gatewarden(new FakeManager(), ["list"])).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "No gateway is registered.\n",
    });
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FakeManager, gatewarden } from "./harness.ts";

const manager = new FakeManager("a");

describe("gatewarden", () => {
  it("without arguments prints the help", async () => {
    const { exitCode, stdout, stderr } = await gatewarden(manager, []);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^USAGE\n/);
    expect(stdout).toContain("\n  restart     Stop and start gateways, and wait for the new processes\n");
  });

  it.each([["--help"], ["-h"], ["help"]])("%s is the same", async (flag) => {
    const { stdout } = await gatewarden(manager, []);
    expect(await gatewarden(manager, [flag])).toMatchObject({ exitCode: 0, stdout });
  });

  it.each([[["start", "--help"]], [["help", "start"]], [["--help", "start"]], [["start", "a", "-h"]]])(
    "%j prints the help of the verb and does nothing",
    async (argv) => {
      const { exitCode, stdout } = await gatewarden(manager, argv);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("gatewarden start <PROFILE>...\n");
      expect(stdout).toMatch(/\n {5}\[--no-wait\] +Do not wait until it is so\n/);
      expect(manager.calls).toEqual([]);
    },
  );

  it.each(["--version", "-V", "-v"])("%s prints the version of the package", async (flag) => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await gatewarden(manager, [flag])).toMatchObject({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: "",
    });
  });

  it.each([
    [["frobnicate"], `Cannot run gatewarden: there is no command "frobnicate".`, "gatewarden"],
    [["strat", "a"], `Cannot run gatewarden: there is no command "strat"; did you mean start?`, "gatewarden"],
    [["constructor"], `Cannot run gatewarden: there is no command "constructor".`, "gatewarden"],
    [
      ["status", "--jsn"],
      `Cannot run gatewarden status: there is no flag --jsn; did you mean --json?`,
      "gatewarden status",
    ],
    [["start", "-x", "a"], "Cannot run gatewarden start: there is no flag -x.", "gatewarden start"],
    [["list", "a"], `Cannot run gatewarden list: "a" is one argument too many.`, "gatewarden list"],
    [
      ["start", "a", "--timeout"],
      "Cannot run gatewarden start: --timeout needs a value.",
      "gatewarden start",
    ],
    [
      ["start", "a", "--timeout", "x"],
      `Cannot run gatewarden start: --timeout is a number of seconds, not "x".`,
      "gatewarden start",
    ],
    [
      ["start", "a", "--timeout", "0"],
      `Cannot run gatewarden start: --timeout is a number of seconds, not "0".`,
      "gatewarden start",
    ],
    [
      ["start", "a", "--timeout=1", "--timeout=2"],
      "Cannot run gatewarden start: --timeout is given twice.",
      "gatewarden start",
    ],
    [
      ["list", "--manager", "upstart"],
      `Cannot run gatewarden list: --manager is one of s6, systemd, launchd, windows, not "upstart".`,
      "gatewarden list",
    ],
    [
      ["register", "a", "--env", "A"],
      `Cannot run gatewarden register: --env is NAME=VALUE, not "A".`,
      "gatewarden register",
    ],
    [
      ["logs", "a", "-n", "-1"],
      `Cannot run gatewarden logs: --lines is a number, not "-1".`,
      "gatewarden logs",
    ],
    [
      ["logs", "a", "--since", "soon"],
      `Cannot run gatewarden logs: --since is a time like 10m, 2h or 2025-01-31T08:00, not "soon".`,
      "gatewarden logs",
    ],
    [["logs"], "Cannot run gatewarden logs: PROFILE is missing.", "gatewarden logs"],
  ])("%j is a usage error", async (argv, message, call) => {
    expect(await gatewarden(manager, argv)).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: `gatewarden: ${message}\nSee: ${call} --help\n`,
    });
  });

  it("prints a usage error as JSON with --json, wherever that stands", async () => {
    const error = { code: "usage", hint: "See: gatewarden start --help" };
    for (const argv of [["start", "--foo", "--json"], ["--json", "start", "--foo"]]) {
      const { exitCode, stdout, stderr } = await gatewarden(manager, argv);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
      expect(JSON.parse(stderr)).toMatchObject({ error });
    }
  });

  it("takes flags before the verb", async () => {
    const { stdout, settings } = await gatewarden(manager, ["--json", "--scandir", "/x", "list"]);
    expect(stdout).toBe(`[\n  "a"\n]\n`);
    expect(settings).toMatchObject({ manager: "s6", scandir: "/x" });
  });

  it("takes what follows -- as profiles", async () => {
    expect(await gatewarden(manager, ["status", "--", "--json"])).toMatchObject({
      exitCode: 4,
      stdout: "PROFILE  STATE\n--json   unregistered\n",
    });
  });

  it("reports what the manager throws without a stack, which GATEWARDEN_DEBUG shows", async () => {
    const broken = new FakeManager();
    broken.listProfileGateways = () => Promise.reject(new TypeError("x is not a function"));
    const quiet = await gatewarden(broken, ["list"]);
    expect(quiet).toMatchObject({
      exitCode: 1,
      stderr:
        "gatewarden: Cannot go on: x is not a function\nTo see where it happened, set GATEWARDEN_DEBUG=1.\n",
    });
    const loud = await gatewarden(broken, ["list"], { GATEWARDEN_DEBUG: "1" });
    expect(loud.stderr).toContain("TypeError: x is not a function\n    at ");
  });

  it("exits 4 when the system or the runtime refuses", async () => {
    const refused = new FakeManager();
    refused.listProfileGateways = () =>
      Promise.reject(Object.assign(new Error("EACCES: permission denied, scandir '/x'"), { code: "EACCES" }));
    expect(await gatewarden(refused, ["list"])).toMatchObject({ exitCode: 4 });
    refused.listProfileGateways = () =>
      Promise.reject(Object.assign(new Error("Requires read access"), { name: "NotCapable" }));
    const { exitCode, stderr } = await gatewarden(refused, ["list"]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain("docs/permissions.md");
  });
});

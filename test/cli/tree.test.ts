import { describe, expect, it } from "vitest";
import { FakeManager, gatewarden } from "./harness.ts";

describe("a verb of root's on a tree of another user", () => {
  it.each([
    [["status", "a"]],
    [["list"]],
    [["start", "a"]],
    [["stop", "--all"]],
    [["restart", "a", "b"]],
    [["register", "a"]],
    [["unregister", "a"]],
    [["logs", "a"]],
    [["start", "a", "--dry-run"]],
    [["status", "a", "--json", "--scandir", "/run/gatewarden/hermes"]],
  ])("is run again as that user, who is told nothing and given the exit code: %j", async (argv) => {
    const manager = new FakeManager("a", "b");
    const result = await gatewarden(manager, argv, {}, "hermes");
    expect(result).toMatchObject({ exitCode: 42, stdout: "", stderr: "", again: [["hermes", "/opt/data"]] });
    expect(result.settings, "no manager was asked for").toBeUndefined();
    expect(manager.calls).toEqual([]);
  });

  it("says first what is wrong with the call itself", async () => {
    const result = await gatewarden(new FakeManager(), ["start"], {}, "hermes");
    expect(result).toMatchObject({ exitCode: 2, again: [] });
  });

  it("is not run again where it only renders, or where another manager is asked for", async () => {
    const render = await gatewarden(new FakeManager(), ["render", "a"], {}, "hermes");
    expect(render).toMatchObject({ exitCode: 0, again: [] });
    const systemd = await gatewarden(
      new FakeManager("a"),
      ["start", "a", "--manager", "systemd"],
      {},
      "hermes",
    );
    expect(systemd).toMatchObject({ exitCode: 0, again: [] });
  });

  it("goes on as it is where there is nobody to become", async () => {
    const manager = new FakeManager("a");
    expect(await gatewarden(manager, ["start", "a"])).toMatchObject({ exitCode: 0, again: [] });
    expect(manager.calls).toEqual(["start a {}"]);
  });
});

describe("tree", () => {
  it("is a group of verbs", async () => {
    const { stdout } = await gatewarden(new FakeManager(), ["tree", "--help"]);
    for (const verb of ["install", "uninstall", "status", "run"]) {
      expect(stdout).toContain(`  gatewarden tree ${verb}\n`);
    }
  });

  it("names the whole verb in what is wrong with a call", async () => {
    expect(await gatewarden(new FakeManager(), ["tree", "install", "x"])).toMatchObject({
      exitCode: 2,
      stderr: `gatewarden: Cannot run gatewarden tree install: "x" is one argument too many.\n` +
        "See: gatewarden tree install --help\n",
    });
  });

  it.each(["install", "uninstall", "status"])("%s works with s6 only", async (verb) => {
    const { exitCode, stderr } = await gatewarden(new FakeManager(), ["tree", verb, "--manager=systemd"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Cannot work on a tree with systemd: only s6 has trees.");
  });

  it("status looks into the scandir of the flag, and not into that of the variable", async () => {
    const argv = ["tree", "status", "--json", "--scandir", "/nowhere"];
    const result = await gatewarden(new FakeManager(), argv, { GATEWARDEN_SCANDIR: "/elsewhere" });
    expect(result.exitCode).toBe(4);
    expect(JSON.parse(result.stdout)).toEqual({
      user: "hermes",
      scandir: "/run/gatewarden/hermes",
      service: "gatewarden-hermes",
      installed: false,
      running: false,
      pid: null,
    });
  });
});

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { detect } from "../src/detect.ts";
import { readHostFacts } from "../src/host/facts.ts";
import type { HostFacts } from "../src/manager.ts";
import { temporaryFolder } from "./temporary_folder.ts";

/** A Linux on which nothing runs that Gatewarden knows. */
const bare: HostFacts = {
  platform: "linux",
  pid1: "init",
  s6Basedir: false,
  withContenv: false,
  systemdBooted: false,
  systemctl: false,
};
const s6 = { pid1: "s6-svscan", s6Basedir: true };
const systemd = { pid1: "systemd", systemdBooted: true, systemctl: true };

describe("detect", () => {
  it.each<[string, Partial<HostFacts>, string]>([
    ["s6", s6, "process 1 is s6-svscan, and /run/s6/basedir is a folder"],
    ["windows", { platform: "win32", pid1: undefined }, "this is Windows"],
    ["launchd", { platform: "darwin", pid1: undefined }, "this is macOS"],
    ["systemd", systemd, "/run/systemd/system is there, and systemctl is on PATH"],
  ])("finds %s, and says why", (kind, facts, reason) => {
    expect(detect({ ...bare, ...facts })).toMatchObject({ kind, reason });
  });

  it("considers s6, windows, launchd and systemd, in this order", () => {
    expect(detect(bare).considered.map(({ kind }) => kind)).toEqual(["s6", "windows", "launchd", "systemd"]);
  });

  it.each<[string, Partial<HostFacts>]>([
    ["systemd, booted in the same container", { ...systemd, ...s6 }],
    ["launchd", { ...s6, platform: "darwin" }],
    ["windows", { ...s6, platform: "win32" }],
  ])("prefers s6 to %s", (_, facts) => {
    expect(detect({ ...bare, ...facts }).kind).toBe("s6");
  });

  it("does not need with-contenv for s6", () => {
    expect(detect({ ...bare, ...s6, withContenv: false }).kind).toBe("s6");
  });

  it.each<[string, Partial<HostFacts>, string]>([
    ["s6", { ...s6, pid1: undefined }, "the name of process 1 cannot be read"],
    ["s6", { ...s6, pid1: "tini" }, "process 1 is tini, not s6-svscan"],
    ["s6", { ...s6, pid1: "s6-svscan2" }, "process 1 is s6-svscan2, not s6-svscan"],
    ["s6", { ...s6, s6Basedir: false }, "process 1 is s6-svscan, but /run/s6/basedir is not a folder"],
    ["windows", {}, "this is not Windows"],
    ["launchd", {}, "this is not macOS"],
    ["systemd", { ...systemd, platform: "freebsd" }, "this is not Linux"],
    [
      "systemd",
      { ...systemd, systemdBooted: false },
      "/run/systemd/system is not there, so systemd does not run",
    ],
    ["systemd", { ...systemd, systemctl: false }, "systemd runs, but there is no systemctl on PATH"],
  ])("says no to %s for one reason at a time: %j", (kind, facts, reason) => {
    const { considered, kind: found } = detect({ ...bare, ...facts });
    expect(considered).toContainEqual({ kind, found: false, reason });
    expect(found).toBe("none");
  });

  it("does not guess s6 from what is installed", () => {
    expect(detect({ ...bare, withContenv: true }).kind).toBe("none");
  });

  it("gives every reason when there is none", () => {
    expect(detect(bare)).toMatchObject({
      kind: "none",
      reason:
        "s6: process 1 is init, not s6-svscan; windows: this is not Windows; launchd: this is not macOS; " +
        "systemd: /run/systemd/system is not there, so systemd does not run",
    });
  });
});

describe("readHostFacts", () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
    vi.stubEnv("PATH", join(root, "bin"));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
  });

  const write = (path: string, text: string, mode: number = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  };
  const folder = (path: string): void => {
    mkdirSync(join(root, path), { recursive: true });
  };
  const link = (path: string, target: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  };

  it("reads an s6-overlay container", () => {
    write("proc/1/comm", "s6-svscan\n");
    write("command/with-contenv", "#!/bin/sh\n", 0o755);
    folder("run/s6/basedir");
    expect(readHostFacts(root)).toEqual({
      platform: process.platform,
      pid1: "s6-svscan",
      s6Basedir: true,
      withContenv: true,
      systemdBooted: false,
      systemctl: false,
    });
  });

  it("reads a machine that runs systemd", () => {
    write("proc/1/comm", "systemd\n");
    write("bin/systemctl", "#!/bin/sh\n", 0o755);
    folder("run/systemd/system");
    expect(readHostFacts(root)).toMatchObject({ pid1: "systemd", systemdBooted: true, systemctl: true });
  });

  it("reads nothing from an empty root, and throws nothing", () => {
    expect(readHostFacts(root)).toEqual({ ...bare, platform: process.platform, pid1: undefined });
  });

  it.each<[string, () => void]>([
    ["is a folder", () => folder("proc/1/comm")],
    ["is empty", () => write("proc/1/comm", "")],
    ["has no name in it", () => write("proc/1/comm", "\n")],
    ["is a link to nowhere", () => link("proc/1/comm", "nowhere")],
    ["is a link to itself", () => link("proc/1/comm", "comm")],
    ["lies below a file", () => write("proc", "")],
  ])("takes process 1 for unknown when /proc/1/comm %s", (_, make) => {
    make();
    expect(readHostFacts(root).pid1).toBeUndefined();
    expect(detect(readHostFacts(root)).considered[0]?.reason).toBe("the name of process 1 cannot be read");
  });

  it.each<[string, () => void]>([
    ["a file", () => write("run/s6/basedir", "")],
    ["a link to nowhere", () => link("run/s6/basedir", "nowhere")],
    ["below a file", () => write("run/s6", "")],
  ])("says no to a basedir that is %s", (_, make) => {
    make();
    expect(readHostFacts(root).s6Basedir).toBe(false);
  });

  it("takes a link to a folder for a basedir", () => {
    folder("run/s6-overlay");
    link("run/s6/basedir", "../s6-overlay");
    expect(readHostFacts(root).s6Basedir).toBe(true);
  });

  it("says no to a with-contenv and a systemctl that cannot be run", () => {
    write("command/with-contenv", "", 0o644);
    folder("bin/systemctl");
    expect(readHostFacts(root)).toMatchObject({ withContenv: false, systemctl: false });
  });

  it("looks through all of PATH, and not into the working directory where PATH is empty", () => {
    write("second/systemctl", "", 0o755);
    vi.stubEnv("PATH", `${join(root, "first")}:${join(root, "second")}`);
    expect(readHostFacts(root).systemctl).toBe(true);
    vi.stubEnv("PATH", "");
    expect(readHostFacts(root).systemctl).toBe(false);
  });

  it("reads this machine without an exception", () => {
    expect(() => readHostFacts()).not.toThrow();
  });
});

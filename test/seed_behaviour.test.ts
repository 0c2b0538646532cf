/**
 * The tests that the project was started from whose headings are given and whose bodies are not: one block for each
 * heading, found by its words. Those about S6ServiceManager are in seed_manager.test.ts; the tests with a body are in
 * seed.test.ts and s6/skeleton.test.ts. What is said here in short is tested at length in files named after the sources.
 */
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { detect } from "../src/detect.ts";
import { InvalidProfileNameError, NoServiceManagerError, UnsupportedError } from "../src/errors.ts";
import { validateProfileName } from "../src/gateway/profile.ts";
import { readHostFacts } from "../src/host/facts.ts";
import type { HostFacts } from "../src/manager.ts";
import { getServiceManager } from "../src/registry.ts";
import { temporaryFolder } from "./temporary_folder.ts";

const bare: HostFacts = {
  platform: "linux",
  pid1: "init",
  s6Basedir: false,
  withContenv: false,
  systemdBooted: false,
  systemctl: false,
};
const S6: HostFacts = { ...bare, pid1: "s6-svscan", s6Basedir: true };

describe("validate_profile_name", () => {
  it.each(["default", "coder", "a", "0", "my-profile", "my_profile", "a1-b2_c3", "x".repeat(243)])(
    "takes %s",
    (profile) => {
      expect(validateProfileName(profile)).toBe(profile);
    },
  );

  it.each(["", "Coder", "-coder", "_coder", ".", "..", "a/b", "a b", "a.b", "coder\n", "ü", "x".repeat(244)])(
    "refuses %j, and shows it quoted with the rule it breaks",
    (profile) => {
      expect(() => validateProfileName(profile)).toThrow(InvalidProfileNameError);
      expect(() => validateProfileName(profile)).toThrow(
        `Cannot use ${JSON.stringify(profile)} as a profile name: `,
      );
    },
  );
});

describe("detect_service_manager", () => {
  it.each<[string, HostFacts]>([
    ["s6", S6],
    ["windows", { ...bare, platform: "win32" }],
    ["launchd", { ...bare, platform: "darwin" }],
    ["systemd", { ...bare, pid1: "systemd", systemdBooted: true, systemctl: true }],
    ["none", bare],
  ])("finds %s", (kind, facts) => {
    expect(detect(facts).kind).toBe(kind);
    expect(detect(facts).reason).not.toBe("");
  });
});

describe("_s6_running — must work for unprivileged users, not just root", () => {
  let root: string;
  beforeEach(() => {
    root = temporaryFolder();
    mkdirSync(join(root, "proc/1"), { recursive: true });
    mkdirSync(join(root, "run/s6/basedir"), { recursive: true });
  });
  const kind = (): string => detect(readHostFacts(root)).kind;

  it("reads /proc/1/comm, which anybody may, and not /proc/1/exe, which only root may", () => {
    writeFileSync(join(root, "proc/1/comm"), "s6-svscan\n");
    symlinkSync("/nonexistent", join(root, "proc/1/exe"));
    expect(kind()).toBe("s6");
    expect(statSync("/proc/1/comm").mode & 0o004).toBe(0o004);
  });

  it("says no to another process 1, whatever its executable is called", () => {
    writeFileSync(join(root, "proc/1/comm"), "tini\n");
    symlinkSync("/command/s6-svscan", join(root, "proc/1/exe"));
    expect(kind()).not.toBe("s6");
  });

  it("says no, and throws nothing, where /proc cannot be read", () => {
    expect(kind()).not.toBe("s6");
    rmSync(join(root, "proc"), { recursive: true });
    expect(kind()).not.toBe("s6");
  });

  it("says no where only the folder, or only the process, is there", () => {
    writeFileSync(join(root, "proc/1/comm"), "s6-svscan\n");
    rmSync(join(root, "run/s6/basedir"), { recursive: true });
    expect(kind()).not.toBe("s6");
  });
});

describe("Backend wrappers — kind + registration unsupported on hosts", () => {
  it("s6 has its kind, and registers at run time", async () => {
    const manager = await getServiceManager({ facts: S6 });
    expect(manager.kind).toBe("s6");
    expect(manager.supportsRuntimeRegistration()).toBe(true);
  });

  it.each(["systemd", "launchd", "windows"] as const)(
    "%s, which is not there yet, says so plainly",
    async (kind) => {
      const failing = getServiceManager({ manager: kind, facts: bare });
      await expect(failing).rejects.toBeInstanceOf(UnsupportedError);
      await expect(failing).rejects.toMatchObject({ exitCode: 3 });
      await expect(failing).rejects.toThrow(kind === "windows" ? "Windows" : kind);
    },
  );
});

describe("get_service_manager factory", () => {
  it("gives the manager that runs here", async () => {
    expect((await getServiceManager({ facts: S6 })).kind).toBe("s6");
  });

  it("throws where none does, with what was found", async () => {
    const failing = getServiceManager({ facts: bare });
    await expect(failing).rejects.toBeInstanceOf(NoServiceManagerError);
    await expect(failing).rejects.toThrow("process 1 is init, not s6-svscan");
  });
});

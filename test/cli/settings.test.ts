import { describe, expect, it } from "vitest";
import { settingsOf, type TargetFlags, type Variable } from "../../src/cli/settings.ts";
import { HERMES } from "../../src/gateway/definition.ts";
import type { Settings } from "../../src/registry.ts";

type Variables = Partial<Record<Variable, string>>;

function settings(flags: TargetFlags, variables: Variables = {}): Promise<Settings> {
  return settingsOf(flags, (name) => variables[name], (path) => Promise.resolve({ ...HERMES, name: path }));
}

const FROM_VARIABLES: Variables = {
  GATEWARDEN_MANAGER: "s6",
  GATEWARDEN_SCANDIR: "/v",
  GATEWARDEN_CONFIG: "v.json",
};

describe("settingsOf", () => {
  it("chooses nothing when nothing is chosen", async () => {
    expect(await settings({})).toEqual({});
  });

  it("takes variables", async () => {
    expect(await settings({}, FROM_VARIABLES)).toEqual({
      manager: "s6",
      scandir: "/v",
      definition: { ...HERMES, name: "v.json" },
    });
  });

  it("lets an unsafe scandir be used only when a flag says so", async () => {
    expect(await settings({ allowUnsafeScandir: true })).toEqual({ allowUnsafeScandir: true });
    expect(await settings({ allowUnsafeScandir: false })).toEqual({});
  });

  it("prefers flags to variables, one by one", async () => {
    expect(await settings({ scandir: "/f" }, FROM_VARIABLES)).toMatchObject({ manager: "s6", scandir: "/f" });
    expect(await settings({ config: "f.json" }, FROM_VARIABLES)).toMatchObject({
      scandir: "/v",
      definition: { name: "f.json" },
    });
    expect(await settings({ manager: "systemd" }, FROM_VARIABLES)).toMatchObject({ manager: "systemd" });
  });

  it.each<[TargetFlags, Variables]>([
    [{ scandir: "/x" }, {}],
    [{}, { GATEWARDEN_SCANDIR: "/x" }],
  ])("takes a scandir as the choice of s6: %j %j", async (flags, variables) => {
    expect(await settings(flags, variables)).toEqual({ manager: "s6", scandir: "/x" });
  });

  it("refuses --scandir for a manager that has none", async () => {
    await expect(settings({ manager: "systemd", scandir: "/x" })).rejects.toThrow(
      "Cannot use --scandir with systemd: only s6 has a scandir.",
    );
    await expect(settings({ scandir: "/x" }, { GATEWARDEN_MANAGER: "launchd" })).rejects.toThrow("launchd");
  });

  it("leaves a scandir of the environment alone when a flag chooses another manager", async () => {
    expect(await settings({ manager: "systemd" }, { GATEWARDEN_SCANDIR: "/v" })).toEqual({
      manager: "systemd",
    });
  });

  it("refuses a variable that names no manager", async () => {
    await expect(settings({}, { GATEWARDEN_MANAGER: "S6" })).rejects.toThrow(
      `Cannot use GATEWARDEN_MANAGER="S6": it is none of s6, systemd, launchd, windows.`,
    );
  });
});

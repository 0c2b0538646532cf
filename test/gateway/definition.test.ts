import { describe, expect, it } from "vitest";
import { InvalidProfileNameError } from "../../src/errors.ts";
import {
  commandOf,
  type GatewayDefinition,
  HERMES,
  logDirectoryOf,
  stopBudgetMs,
} from "../../src/gateway/definition.ts";

const relay: GatewayDefinition = {
  ...HERMES,
  command: { default: ["relayd"], named: ["relayd", "--instance={profile}", "{profile} and {profile}"] },
  log: { ...HERMES.log, directory: "/var/log/{profile}/{profile}" },
};

describe("HERMES", () => {
  it("is the Hermes agent's gateway", () => {
    expect(HERMES).toMatchObject({
      servicePrefix: "gateway-",
      user: "hermes",
      fallbackId: 10000,
      home: "/opt/data",
      homeVariable: "HERMES_HOME",
      log: { files: 10, fileBytes: 1_000_000, timestamp: "iso", copyToStandardOutput: true },
    });
  });
});

describe("commandOf", () => {
  it("has no -p for the root profile", () => {
    expect(commandOf(HERMES, "default")).toEqual(["hermes", "gateway", "run", "--replace"]);
  });

  it("names any other profile", () => {
    expect(commandOf(HERMES, "coder")).toEqual(["hermes", "-p", "coder", "gateway", "run", "--replace"]);
  });

  it("puts the profile into a word wherever it stands", () => {
    expect(commandOf(relay, "eu-west")).toEqual(["relayd", "--instance=eu-west", "eu-west and eu-west"]);
  });

  it("refuses what is no profile name", () => {
    expect(() => commandOf(HERMES, "a b")).toThrow(InvalidProfileNameError);
  });
});

describe("logDirectoryOf", () => {
  it("is below the home for Hermes", () => {
    expect(logDirectoryOf(HERMES, "coder")).toBe("logs/gateways/coder");
  });

  it("puts the profile in wherever it stands", () => {
    expect(logDirectoryOf(relay, "eu-west")).toBe("/var/log/eu-west/eu-west");
  });

  it("refuses what is no profile name", () => {
    expect(() => logDirectoryOf(HERMES, "../..")).toThrow(InvalidProfileNameError);
  });
});

describe("stopBudgetMs", () => {
  it("is the drain and the grace, in milliseconds", () => {
    expect(stopBudgetMs({ signal: "SIGTERM", drainSeconds: 60, graceSeconds: 10 })).toBe(70_000);
  });
});

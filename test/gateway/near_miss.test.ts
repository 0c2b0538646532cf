import { describe, expect, it } from "vitest";
import { nearMiss } from "../../src/gateway/near_miss.ts";

describe("nearMiss", () => {
  const names = ["name", "home", "homeVariable", "command", "log", "path", "user"];

  it.each([
    ["nam", "name"],
    ["names", "name"],
    ["nmae", "name"],
    ["Name", "name"],
    ["comand", "command"],
    ["commmand", "command"],
    ["cmomand", "command"],
    ["comnad", "command"],
    ["homevariable", "homeVariable"],
    ["HOMEVARIABLE", "homeVariable"],
    ["home_variable", "homeVariable"],
    ["hone", "home"],
    ["logs", "log"],
  ])("takes %s for %s", (word, name) => {
    expect(nearMiss(word, names)).toBe(name);
  });

  it.each(["", "x", "colour", "n", "nmea", "cmd", "logging", "x".repeat(100_000)])(
    "takes %j for none",
    (word) => {
      expect(nearMiss(word, names)).toBeUndefined();
    },
  );

  it("takes the nearest of several", () => {
    expect(nearMiss("homes", ["hose", "home", "houses"])).toBe("home");
    expect(nearMiss("homes", ["houses", "hose", "home"])).toBe("home");
  });

  it("has nothing to offer without candidates", () => {
    expect(nearMiss("name", [])).toBeUndefined();
  });
});

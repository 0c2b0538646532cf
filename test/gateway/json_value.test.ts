import { describe, expect, it } from "vitest";
import { hasKey, kindOf, pathText, showValue, valueAt } from "../../src/gateway/json_value.ts";

describe("pathText", () => {
  it.each([
    [[], ""],
    [["log"], "log"],
    [["log", "files"], "log.files"],
    [["command", "default", 0], "command.default[0]"],
    [["$schema"], "$schema"],
    [["exitPolicy", "78", "action"], "exitPolicy.78.action"],
    [["environment", "MY VAR"], 'environment["MY VAR"]'],
    [["environment", ""], 'environment[""]'],
    [['a"b', "c"], '["a\\"b"].c'],
  ])("writes %j as %s", (path, text) => {
    expect(pathText(path)).toBe(text);
  });
});

describe("valueAt", () => {
  const document = { log: { files: 3 }, list: ["a", { b: null }] };

  it.each([
    [[], document],
    [["log", "files"], 3],
    [["list", 1, "b"], null],
    [["list", 2], undefined],
    [["log", "files", "more"], undefined],
    [["nothing", "more"], undefined],
    [["constructor"], undefined],
    [["__proto__"], undefined],
  ])("finds at %j what is there", (path, value) => {
    expect(valueAt(document, path)).toEqual(value);
  });
});

describe("hasKey", () => {
  it("knows only what a value has itself", () => {
    expect(hasKey({ a: undefined }, "a")).toBe(true);
    expect(hasKey(["a"], 0)).toBe(true);
    expect(hasKey({}, "toString")).toBe(false);
    expect(hasKey("text", "length")).toBe(false);
    expect(hasKey(null, "a")).toBe(false);
  });
});

describe("showValue", () => {
  it.each([
    ["a", '"a"'],
    ['a"\n', '"a\\"\\n"'],
    [1.5, "1.5"],
    [false, "false"],
    [null, "null"],
    [["secret"], "a list"],
    [{ a: 1 }, "an object"],
  ])("shows %j as %s", (value, text) => {
    expect(showValue(value)).toBe(text);
  });

  it("cuts a long text", () => {
    expect(showValue("x".repeat(61))).toBe(`"${"x".repeat(60)}…"`);
    expect(showValue("x".repeat(60))).toBe(`"${"x".repeat(60)}"`);
  });
});

describe("kindOf", () => {
  it.each([["a", "a string"], [1, "a number"], [true, "a boolean"], [null, "null"], [[], "a list"], [
    {},
    "an object",
  ]])(
    "says of %j that it is %s",
    (value, kind) => {
      expect(kindOf(value)).toBe(kind);
    },
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSyntaxFault } from "../../src/gateway/json_syntax.ts";

/** Whether JSON.parse takes a text. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("findSyntaxFault", () => {
  it.each([
    ["", 1, 1, "a value", "the end"],
    [" \n\t ", 2, 3, "a value", "the end"],
    ["{", 1, 2, "a name in double quotes or '}'", "the end"],
    ['{"a"', 1, 5, "':'", "the end"],
    ['{"a"}', 1, 5, "':'", '"}"'],
    ['{"a":', 1, 6, "a value", "the end"],
    ['{"a": 1', 1, 8, "',' or '}'", "the end"],
    ['{"a": 1,}', 1, 9, "a name in double quotes", '"}"'],
    ['{"a" = 1}', 1, 6, "':'", '"="'],
    ["{a: 1}", 1, 2, "a name in double quotes or '}'", '"a"'],
    ["{'a': 1}", 1, 2, "a name in double quotes or '}'", '"\'"'],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3, "',' or '}'", '"\\""'],
    ["[", 1, 2, "a value or ']'", "the end"],
    ["[1,]", 1, 4, "a value", '"]"'],
    ["[1 2]", 1, 4, "',' or ']'", '"2"'],
    ["[1}", 1, 3, "',' or ']'", '"}"'],
    ["]", 1, 1, "a value", '"]"'],
    ["1 2", 1, 3, "nothing more", '"2"'],
    ["01", 1, 2, "nothing more", '"1"'],
    ["1.", 1, 2, "nothing more", '"."'],
    ["NaN", 1, 1, "a value", '"N"'],
    ['"a', 1, 3, "the rest of a string and its closing quote", "the end"],
    ['"a\nb"', 1, 3, "the rest of a string and its closing quote", '"\\n"'],
    ['"\\x"', 1, 2, "the rest of a string and its closing quote", '"\\\\"'],
    ['"\u001f"', 1, 2, "the rest of a string and its closing quote", '"\\u001f"'],
    ['"\\u12g4"', 1, 2, "the rest of a string and its closing quote", '"\\\\"'],
    ['"\\u123"', 1, 2, "the rest of a string and its closing quote", '"\\\\"'],
    ["[] // list", 1, 4, "nothing more", '"/"'],
    ["💥", 1, 1, "a value", '"💥"'],
  ])("finds in %j the fault in line %i, column %i: %s expected", (text, line, column, expected, found) => {
    expect(findSyntaxFault(text)).toEqual({ line, column, expected, found });
    expect(isJson(text)).toBe(false);
  });

  it("finds no fault in JSON, however it is laid out", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.constantFrom("", "  ", "\t", "\r\n"), (value, indent) => {
      expect(findSyntaxFault(JSON.stringify(value, null, indent))).toBeUndefined();
    }));
  });

  it("finds a fault in a text if and only if JSON.parse does", () => {
    const token = fc.constantFrom(
      ...'{}[],:"\\ \n0123456789-+.eEtruefalsn',
      "null",
      '"a"',
      "\\u00",
      "\0",
      "é",
    );
    const spoilt = fc.tuple(fc.json(), fc.nat(), fc.nat(3), token).map(([json, at, length, put]) => {
      const start = at % (json.length + 1);
      return json.slice(0, start) + put + json.slice(start + length);
    });
    fc.assert(
      fc.property(fc.oneof(spoilt, fc.array(token).map((tokens) => tokens.join(""))), (text) => {
        expect([text, findSyntaxFault(text) === undefined]).toEqual([text, isJson(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  it("gets through a long and a deep text", () => {
    expect(findSyntaxFault(JSON.stringify("x".repeat(1_000_000)))).toBeUndefined();
    expect(findSyntaxFault(JSON.stringify("\\".repeat(1_000_000)))).toBeUndefined();
    expect(findSyntaxFault("[".repeat(100_000))).toMatchObject({ column: 100_001 });
  });
});

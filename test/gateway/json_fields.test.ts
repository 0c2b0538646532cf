import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withFields } from "../../src/gateway/json_fields.ts";

const stopped = (text: string): string | undefined => withFields(text, { desired_state: "stopped" });

describe("withFields", () => {
  it.each([
    ["another value", '{"desired_state":"running"}', '{"desired_state":"stopped"}'],
    ["a value that is no text", '{"desired_state": [1, {"a": "}"}] }', '{"desired_state": "stopped" }'],
    ["a field that was not there", '{"pid": 1}\n', '{"pid": 1, "desired_state": "stopped"}\n'],
    ["the first field", " { } ", ' {"desired_state": "stopped" } '],
    [
      "the field of the outermost object, and no other",
      '{"a":{"desired_state":"running"},"b":["desired_state"],"desired_state":"running","c":"desired_state"}',
      '{"a":{"desired_state":"running"},"b":["desired_state"],"desired_state":"stopped","c":"desired_state"}',
    ],
    ["a name that is written otherwise", '{"desired\\u005fstate":null}', '{"desired\\u005fstate":"stopped"}'],
    [
      "the last of two, which is the one that counts",
      '{"desired_state":"a","desired_state":"b"}',
      '{"desired_state":"a","desired_state":"stopped"}',
    ],
    [
      "numbers as they were written",
      '{"id":12345678901234567890,"at":1.0,"desired_state":""}',
      '{"id":12345678901234567890,"at":1.0,"desired_state":"stopped"}',
    ],
    [
      "quotes and braces in texts",
      '{"a":"\\"},{\\\\","b":"é🙂"}',
      '{"a":"\\"},{\\\\","b":"é🙂", "desired_state": "stopped"}',
    ],
  ])("sets %s", (_, before, after) => {
    expect(stopped(before)).toBe(after);
  });

  it.each(['{"desired_state":"stopped"}', '{ "desired_state" : "st\\u006fpped" }'])(
    "gives back the same text when it says so already: %s",
    (text) => {
      expect(stopped(text)).toBe(text);
    },
  );

  it.each([
    "",
    " ",
    "null",
    "1",
    '"desired_state"',
    "[]",
    "[{}]",
    "{",
    '{"a":1}}',
    "{'a':1}",
    '{"a":1,}',
    "NaN",
  ])(
    "leaves alone what holds no object: %j",
    (text) => {
      expect(stopped(text)).toBeUndefined();
    },
  );

  it("sets a field and nothing else, whatever the object", () => {
    const values = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("a", "b")), fc.jsonValue());
    const spaces = fc.constantFrom(undefined, 2, "\t");
    const name = fc.oneof(fc.string(), fc.constantFrom("a", "b"));
    fc.assert(fc.property(values, spaces, name, fc.string(), (object, space, key, value) => {
      const text = withFields(JSON.stringify(object, null, space), { [key]: value });
      const entries = Object.entries(JSON.parse(JSON.stringify(object))).filter(([other]) => other !== key);
      expect(new Map(Object.entries(JSON.parse(text ?? "")))).toEqual(new Map([...entries, [key, value]]));
    }));
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import {
  assertShIdentifier,
  isSpecialShVariable,
  quoteSh,
  quoteShCommand,
  shAssignment,
} from "../../src/quote/sh.ts";
import { missing, runScript, SHELLS } from "../shells.ts";

const TABLE: readonly (readonly [value: string, word: string])[] = [
  ["plain", "plain"],
  ["/opt/data", "/opt/data"],
  ["a-b_c.d+e,f:g@h%i", "a-b_c.d+e,f:g@h%i"],
  ["-rf", "-rf"],
  ["", "''"],
  ["bar baz", "'bar baz'"],
  ["a'b", `'a'"'"'b'`],
  ["'", `''"'"''`],
  [`"`, `'"'`],
  ["$HOME", "'$HOME'"],
  ["$(id)", "'$(id)'"],
  ["`id`", "'`id`'"],
  ["a\\", "'a\\'"],
  ["a\nb", "'a\nb'"],
  ["a=b", "'a=b'"],
  ["~", "'~'"],
  ["#", "'#'"],
  ["*", "'*'"],
  ["a;b", "'a;b'"],
  ["!", "'!'"],
  ["{a,b}", "'{a,b}'"],
  ["Zoë", "'Zoë'"],
  ["💩", "'💩'"],
];

describe("quoteSh", () => {
  it.each(TABLE)("writes %j as %s", (value, word) => {
    expect(quoteSh(value)).toBe(word);
  });

  it.each([["a NUL", "secret\0"], ["half a character", "secret\ud83d"], ["the other half", "\udca9secret"]])(
    "refuses %s, and does not repeat the value",
    (_, value) => {
      expect(() => quoteSh(value)).toThrow(UsageError);
      expect(() => quoteSh(value)).not.toThrow(/secret/);
    },
  );
});

describe("quoteShCommand", () => {
  it("quotes each argument", () => {
    expect(quoteShCommand(["rm", "-f", "--", "a b", ""])).toBe("rm -f -- 'a b' ''");
  });
});

describe("shAssignment", () => {
  it("leaves the name bare and quotes the value", () => {
    expect(shAssignment("FOO", "bar baz")).toBe("FOO='bar baz'");
    expect(shAssignment("_a1", "x")).toBe("_a1=x");
  });

  it("names the variable whose value it refuses, and does not repeat the value", () => {
    expect(() => shAssignment("TOKEN", "secret\0")).toThrow("Cannot set TOKEN: the value holds a NUL.");
    expect(() => shAssignment("TOKEN", "\ud83d")).toThrow(
      "Cannot set TOKEN: the value holds half a character.",
    );
  });
});

describe("assertShIdentifier", () => {
  it.each(["A", "_", "a1", "HERMES_HOME", "__proto__"])("takes %s", (name) => {
    expect(() => assertShIdentifier(name)).not.toThrow();
  });

  it.each(["", "1A", "A-B", "A B", "A=B", "A\n", "\nA", "A;id", "$(id)", "é", "Å", "A\0", "a.b", "a[0]"])(
    "refuses %j",
    (name) => {
      expect(() => assertShIdentifier(name)).toThrow(UsageError);
    },
  );
});

describe("isSpecialShVariable", () => {
  // bats/run.bats shows for each of them, under each shell, that it would not arrive, or would be evaluated.
  it.each([
    "UID",
    "PPID",
    "SECONDS",
    "RANDOM",
    "COLUMNS",
    "BASH_VERSINFO",
    "KSH_VERSION",
    "LC_ALL",
    "LANG",
    "_",
  ])(
    "knows %s",
    (name) => {
      expect(isSpecialShVariable(name)).toBe(true);
    },
  );

  it.each(["HOME", "FOO", "UIDS", "MY_LC_ALL", "A_BASH", "uid", "__"])("does not know %s", (name) => {
    expect(isSpecialShVariable(name)).toBe(false);
  });
});

/** Any text that a file can hold, with a liking for what shells care about. */
const value = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.constantFrom(
      ..."'\"\\$`!#~*?[]{}()<>|&;=%^ \t\n\r\x01\x07\x08\x1b\x7f-",
      "$(id)",
      "${x",
      "\u0081\u0088",
      "é",
      "💩",
    ),
  ),
  { maxLength: 12 },
).map((pieces) => pieces.join("").replaceAll("\0", ""));

/** A smaller example would take long to find, and the failure shows the value that counts. */
const whole = { endOnFailure: true } as const;

describe.each(SHELLS)("a quoted value in $name", (shell) => {
  const why = missing(shell);

  /** What the shell makes of the words: it hands them to a program that prints each, ended by a NUL. */
  function argumentsOf(words: readonly string[], setup: string = ""): string[] {
    const printed = runScript(shell, `${setup}exec printf '%s\\0' ${words.join(" ")}\n`);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(printed).split("\0").slice(0, -1);
  }

  it("comes back as it was, each of the table and of ASCII", ({ skip }) => {
    skip(why !== undefined, why);
    const ascii = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1));
    const values = [...TABLE.map(([value]) => value), ...ascii, ...ascii.map((one) => `a${one}b${one}`)];
    expect(argumentsOf(values.map(quoteSh))).toEqual(values);
  });

  it("comes back as it was, whatever it is", ({ skip }) => {
    skip(why !== undefined, why);
    const batch = fc.array(value, { minLength: 150, maxLength: 250 });
    fc.assert(
      fc.property(batch, (values) => {
        expect(argumentsOf(values.map(quoteSh))).toEqual(values);
      }),
      { numRuns: 8, ...whole },
    );
  });

  it("comes back as it was from a variable, whatever it is", ({ skip }) => {
    skip(why !== undefined, why);
    fc.assert(
      fc.property(fc.array(value, { minLength: 50, maxLength: 100 }), (values) => {
        const exports = values.map((value, index) => `export ${shAssignment(`VALUE_${index}`, value)}\n`);
        const words = values.map((_, index) => `"$VALUE_${index}"`);
        expect(argumentsOf(words, exports.join(""))).toEqual(values);
      }),
      { numRuns: 5, ...whole },
    );
  });
});

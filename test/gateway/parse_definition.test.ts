import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DefinitionError, GatewardenError } from "../../src/errors.ts";
import { commandOf, HERMES } from "../../src/gateway/definition.ts";
import { DEFAULT_EXIT_POLICY } from "../../src/gateway/exit_policy.ts";
import { parseDefinition, parseDefinitionText } from "../../src/gateway/parse_definition.ts";
import { full, least, values, withValue } from "./definition_values.ts";

/** The error of a definition that must not be accepted. */
function refusal(json: unknown): DefinitionError {
  try {
    parseDefinition(json, "bridge.json");
  } catch (error) {
    if (error instanceof DefinitionError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(json)}`);
}

/** What is wrong with a definition, a line for each field. */
function faults(json: unknown): string[] {
  return refusal(json).issues.map(({ path, message }) => `${path}: ${message}`);
}

describe("parseDefinition", () => {
  it("takes every field as it is given", () => {
    const { $schema: _, ...given } = full;
    expect(parseDefinition(full)).toEqual({
      ...given,
      exitPolicy: {
        0: DEFAULT_EXIT_POLICY[0],
        3: { action: "park", meaning: "no account" },
        75: DEFAULT_EXIT_POLICY[75],
        78: { action: "restart", meaning: "to be started again" },
      },
    });
  });

  it("fills in what is left out, and with nothing that is Hermes' own", () => {
    expect(parseDefinition(least)).toEqual({
      name: "bridge",
      servicePrefix: "gateway-",
      user: "bridge",
      fallbackId: 10000,
      home: "/var/lib/bridge",
      homeVariable: "GATEWAY_HOME",
      command: { default: ["bridge", "serve", "{profile}"], named: ["bridge", "serve", "{profile}"] },
      environment: {},
      supervisedMarkers: [],
      path: [],
      exitPolicy: DEFAULT_EXIT_POLICY,
      log: HERMES.log,
      stop: HERMES.stop,
    });
    expect(JSON.stringify(parseDefinition(least))).not.toMatch(/hermes/i);
  });

  it("gives every profile the one command that is given", () => {
    const definition = parseDefinition(least);
    expect(commandOf(definition, "default")).toEqual(["bridge", "serve", "default"]);
    expect(commandOf(definition, "coder")).toEqual(["bridge", "serve", "coder"]);
  });

  it("takes all from Hermes for a definition that extends it", () => {
    expect(parseDefinition({ extends: "hermes" })).toEqual(HERMES);
    expect(parseDefinition({ extends: "hermes", home: "/srv/hermes" })).toEqual({
      ...HERMES,
      home: "/srv/hermes",
    });
  });

  it("fills in an object field by field, the exit policy code by code, and replaces a list", () => {
    expect(parseDefinition({
      extends: "hermes",
      command: { default: ["/opt/hermes/bin/hermes", "gateway", "run", "--replace"] },
      path: [],
      exitPolicy: { "3": { action: "park" } },
      log: { files: 3 },
      stop: { drainSeconds: 90 },
    })).toEqual({
      ...HERMES,
      command: { ...HERMES.command, default: ["/opt/hermes/bin/hermes", "gateway", "run", "--replace"] },
      path: [],
      exitPolicy: { ...DEFAULT_EXIT_POLICY, 3: { action: "park", meaning: "not to be started again" } },
      log: { ...HERMES.log, files: 3 },
      stop: { ...HERMES.stop, drainSeconds: 90 },
    });
  });

  it("leaves Hermes as it is", () => {
    const before = structuredClone(HERMES);
    parseDefinition({ extends: "hermes", environment: { A: "b" }, exitPolicy: { "3": { action: "park" } } });
    expect(HERMES).toEqual(before);
  });

  it("names everything that is missing", () => {
    expect(faults({})).toEqual([
      "name: is missing",
      "user: is missing",
      "home: is missing",
      "command.default: is missing",
    ]);
    expect(faults({ ...least, command: {} })).toEqual(["command.default: is missing"]);
  });

  it("names everything that is wrong at once, by field, with the value", () => {
    expect(faults({
      ...least,
      user: 10,
      command: { default: ["bridge", 7], named: "bridge" },
      log: { files: "10", rotate: true },
      colour: "red",
    })).toEqual([
      "user: must be the name of a user other than root: at most 32 letters, digits, '.', '_' and '-', " +
      "with a letter or '_' first, not 10",
      "command.default[1]: must be a string without a NUL, not 7",
      'command.named: must be a list, the program first, not "bridge"',
      'log.files: must be a whole number from 1 to 4294967295, not "10"',
      "log.rotate: is not a field",
      "colour: is not a field",
    ]);
  });

  it("says so in one message, with the file, and tells where the fields are described", () => {
    const error = refusal({ ...least, log: { files: 0 } });
    expect(error.message).toBe(
      "Cannot use bridge.json: log.files: must be a whole number from 1 to 4294967295, not 0.",
    );
    expect(error.hint).toContain("definition.schema.json");
    expect(error.exitCode).toBe(6);
    expect(refusal({ ...least, name: 1, home: 2 }).message).toMatch(
      /^Cannot use bridge\.json:\n {2}name: .*\n {2}home: /,
    );
  });

  it.each([
    [{ comand: {} }, "comand: is not a field; did you mean command?"],
    [{ servicePrefx: "a-" }, "servicePrefx: is not a field; did you mean servicePrefix?"],
    [{ log: { fiels: 3 } }, "log.fiels: is not a field; did you mean files?"],
    [{ stop: { drainseconds: 3 } }, "stop.drainseconds: is not a field; did you mean drainSeconds?"],
    [
      { exitPolicy: { "3": { action: "park", meanin: "x" } } },
      "exitPolicy.3.meanin: is not a field; did you mean meaning?",
    ],
    [JSON.parse('{"__proto__": 1}'), "__proto__: is not a field"],
    [{ constructor: 1 }, "constructor: is not a field"],
    [{ "a b": 1 }, '["a b"]: is not a field'],
  ])("refuses a field that it does not know, in %j", (change, fault) => {
    // Not by a spread: it would take __proto__ for the prototype of the copy.
    expect(faults(Object.assign(Object.create(null), least, change))).toContain(fault);
  });

  it("names a key that is wrong", () => {
    expect(faults({ ...least, environment: { "A-B": "x" }, exitPolicy: { "256": { action: "park" } } }))
      .toEqual([
        "environment.A-B: its key must be a name of letters, digits and '_', with no digit first",
        "exitPolicy.256: its key must be an exit code from 0 to 255",
      ]);
  });

  it("says once what is wrong in two ways", () => {
    expect(faults({ ...least, log: { files: 1e99 } })).toEqual([
      "log.files: must be a whole number from 1 to 4294967295, not 1e+99",
    ]);
  });

  it("shows no value of a variable: it may be a password", () => {
    const { message } = refusal({ ...least, environment: { TOKEN: 12345678, KEY: "hush\0" } });
    expect(message).toContain("environment.TOKEN: must be a string without a NUL");
    expect(message).toContain("environment.KEY: must be a string without a NUL");
    expect(message).not.toMatch(/12345678|hush/);
  });

  it("drops no variable and no exit code without a word, whatever its name", () => {
    const change = JSON.parse(
      '{"environment": {"__proto__": "x"}, "exitPolicy": {"__proto__": {"action": "park"}}}',
    );
    expect(faults({ ...least, ...change })).toEqual([
      "environment.__proto__: cannot be used as a name",
      "exitPolicy.__proto__: cannot be used as a name",
    ]);
  });

  it("cuts a long value short", () => {
    expect(refusal({ ...least, home: "x".repeat(10_000) }).message.length).toBeLessThan(250);
  });
});

describe.each(values)("the field %s", (path, accepted, refused) => {
  it.each(accepted.map((value) => [value]))("may be %j", (value) => {
    expect(() => parseDefinition(withValue(path, value))).not.toThrow();
  });

  it.each(refused.map((value) => [value]))("may not be %j, and the error names it", (value) => {
    for (const issue of refusal(withValue(path, value)).issues) {
      expect(issue.path.startsWith(path)).toBe(true);
    }
  });
});

describe("any JSON value", () => {
  /** A definition with some of its values, at any depth, put in the place of others. */
  const nearly = fc.tuple(fc.constantFrom(least, full, { extends: "hermes" }), fc.object({ maxDepth: 2 }))
    .map(([base, other]) => ({ ...base, ...JSON.parse(JSON.stringify(other)) }));
  const fieldNames = fc.constantFrom(...Object.keys(full), "extends");
  const byField = fc.dictionary(fieldNames, fc.jsonValue(), { noNullPrototype: true });

  it("gives a definition or a DefinitionError that names at least one fault, and no other exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly, byField), (json) => {
        try {
          const definition = parseDefinition(json);
          expect(definition.command.default.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(DefinitionError);
          expect(error instanceof DefinitionError && error.issues.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([[null], [[]], ["hermes"], [3], [true]])("%j is no definition", (json) => {
    expect(refusal(json).message).toMatch(/^Cannot use bridge\.json: must be an object, not /);
  });

  it("may be as deep as JSON.parse allows", () => {
    const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000));
    expect(faults({ ...least, name: deep, deep })).toEqual([
      "name: must be one line of 1 to 64 characters, not a list",
      "deep: is not a field",
    ]);
  });
});

describe("parseDefinitionText", () => {
  it("reads the text of a file", () => {
    expect(parseDefinitionText(JSON.stringify(full))).toEqual(parseDefinition(full));
  });

  it("reads a text that starts with a byte order mark", () => {
    expect(parseDefinitionText(`\uFEFF${JSON.stringify(least)}`)).toEqual(parseDefinition(least));
  });

  it.each([
    ["", "line 1, column 1: a value expected, not the end"],
    ['{\n  "name": "bridge",\n}', 'line 3, column 1: a name in double quotes expected, not "}"'],
    ['{"name": bridge}', 'line 1, column 10: a value expected, not "b"'],
  ])("says where a text stops being JSON: %j", (text, where) => {
    expect(() => parseDefinitionText(text, "bridge.json")).toThrow(
      `Cannot use bridge.json: it is not JSON: ${where}.`,
    );
    expect(() => parseDefinitionText(text)).toThrow(DefinitionError);
  });

  it("throws nothing but errors of its own, whatever the text", () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => {
      try {
        parseDefinitionText(text);
      } catch (error) {
        expect(error).toBeInstanceOf(GatewardenError);
      }
    }));
  });
});

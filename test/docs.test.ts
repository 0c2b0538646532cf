/** What the documents say, held against what the program does. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exitCodeOfStatus, reportOf } from "../src/cli/exit_codes.ts";
import * as errors from "../src/errors.ts";
import { NEEDED } from "../src/gateway/definition_issues.ts";
import { pathText, valueAt } from "../src/gateway/json_value.ts";
import { parseDefinitionText } from "../src/gateway/parse_definition.ts";
import type { State } from "../src/manager.ts";
import { FakeManager, gatewarden, statusOf } from "./cli/harness.ts";

const root = new URL("../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

const readme = read("README.md");
const manual = read("man/gatewarden.1");
const documents = [
  "README.md",
  "CHANGELOG.md",
  ...readdirSync(new URL("docs/", root)).map((name) => `docs/${name}`),
];

/** All that a pattern's first group, or else the pattern, finds. */
function findAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}

const sorted = (all: Iterable<string>): string[] => [...new Set(all)].sort();

/** A part of a Markdown file, from its heading to the next one of its level. */
function section(text: string, heading: string): string {
  return text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
}

/** A part of the manual page. */
function manualSection(heading: string): string {
  return manual.split(/^\.Sh /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
}

/** The flags in what `--help` prints, as they are typed. */
async function flagsInHelp(...argv: string[]): Promise<string[]> {
  const { stdout } = await gatewarden(new FakeManager(), [...argv, "--help"]);
  const lines = (stdout.split("FLAGS\n")[1] ?? "").split("\n\n")[0] ?? "";
  return sorted(
    lines.split("\n").flatMap((line) =>
      findAll(line.trim().split(/ {2,}(?![[-])/)[0] ?? "", /--?[A-Za-z][a-z-]*/g)
    ),
  );
}

const verbs = findAll((await gatewarden(new FakeManager(), ["--help"])).stdout, /^ {2}gatewarden ([a-z]+)/gm);
/** The verbs of a group: `install` of `tree`; none of a verb that stands alone. */
async function innerVerbs(verb: string): Promise<string[]> {
  const { stdout } = await gatewarden(new FakeManager(), [verb, "--help"]);
  return findAll(stdout, new RegExp(`^ {2}gatewarden ${verb} ([a-z]+)$`, "gm"));
}
const inner = new Map(await Promise.all(verbs.map(async (verb) => [verb, await innerVerbs(verb)] as const)));

/** Those of a group are those of its verbs. */
const flagsOfVerb = new Map(
  await Promise.all(verbs.map(async (verb) => {
    const all = [flagsInHelp(verb), ...(inner.get(verb) ?? []).map((name) => flagsInHelp(verb, name))];
    return [verb, sorted((await Promise.all(all)).flat())] as const;
  })),
);
const allFlags = sorted([...await flagsInHelp(), ...[...flagsOfVerb.values()].flat()]);

/** The options in the manual page, and the verbs that it says they go with: the line after `.It`. */
const manualOptions = findAll(manualSection("OPTIONS"), /^\.It (Fl [^]*?\n.*)$/gm).map((item) => {
  const [head = "", who = ""] = item.split("\n");
  const named = findAll(who.split("Cm ")[1] ?? "", /[a-z]+/g);
  const every = who.startsWith(".Pq every command");
  return {
    flags: findAll(head, /Fl (\S+)/g).map((name) => `-${name}`),
    verbs: every ? verbs.filter((verb) => !named.includes(verb)) : named,
  };
});

describe("the manual page", () => {
  it("has every command, and no other", () => {
    expect([...new Set(findAll(manualSection("DESCRIPTION"), /^\.It Cm ([a-z]+)/gm))]).toEqual(verbs);
    const names = findAll(manualSection("SYNOPSIS"), /^\.Cm (.+)/gm).map((line) =>
      line.replace(/^tree .*/, "tree")
    );
    expect(sorted(names.flatMap((line) => line.split(" | ")))).toEqual(sorted(verbs));
  });

  it("has every command of a group", () => {
    expect(inner.get("tree")).toEqual(["install", "uninstall", "status", "run"]);
    for (const [group, names] of inner) {
      const shown = findAll(manualSection("DESCRIPTION"), new RegExp(`^\\.It Cm ${group} ([a-z]+)`, "gm"));
      expect(shown).toEqual(names);
      for (const name of names) {
        expect(manualSection("SYNOPSIS")).toMatch(new RegExp(`^\\.Cm ${group} .*\\b${name}\\b`, "m"));
      }
    }
  });

  it("has every option, and no other", () => {
    expect(sorted(manualOptions.flatMap(({ flags }) => flags))).toEqual(allFlags);
  });

  it.each(verbs)("says which options go with %s", (verb) => {
    const said = manualOptions.filter((option) => option.verbs.includes(verb)).flatMap(({ flags }) => flags);
    expect(sorted(said)).toEqual(flagsOfVerb.get(verb));
  });

  it("has every variable that the command line reads", () => {
    const [type = ""] = /export type Variable =[^;]*;/.exec(read("src/cli/settings.ts")) ?? [];
    const variables = findAll(type, /"([A-Z_]+)"/g);
    expect(variables).toContain("GATEWARDEN_SCANDIR");
    expect(findAll(manualSection("ENVIRONMENT"), /^\.It Ev (\S+)/gm)).toEqual(
      expect.arrayContaining(variables),
    );
    expect(variables.filter((name) => !readme.includes(name))).toEqual([]);
  });
});

describe("the README", () => {
  it("has every command in its order, and no other", () => {
    expect([...new Set(findAll(section(readme, "Commands"), /^gatewarden ([a-z]+)/gm))]).toEqual(verbs);
  });

  it("has every option, and no other", () => {
    const code = findAll(section(readme, "Commands"), /`([^`\n]+)`|^(?:gatewarden.*)$/gm).join("\n");
    expect(sorted(findAll(code, /(?<![\w-])--?[A-Za-z][a-z-]*/g))).toEqual(allFlags);
  });
});

const ERRORS: readonly errors.GatewardenError[] = [
  new errors.UsageError(""),
  new errors.InvalidProfileNameError("", ""),
  new errors.UnsupportedError(""),
  new errors.NoServiceManagerError(""),
  new errors.PermissionError(""),
  new errors.GatewayNotRegisteredError("", "", ""),
  new errors.GatewayAlreadyRegisteredError("", ""),
  new errors.TreeAlreadyInstalledError("", ""),
  new errors.DefinitionError("", []),
  new errors.S6CommandError({ service: "", action: "", argv: [], exitCode: 1, stderr: "" }),
  new errors.TimeoutError({ what: "", limitMs: 0, stillThere: "" }),
  new errors.GatewayFailedError(""),
  new errors.GatewayNotRunningError(""),
  new errors.ProgramNotFoundError("", ""),
  new errors.FileError(""),
];

const EXIT_OF_STATE: Readonly<Record<State, string>> = {
  running: "0",
  starting: "0",
  stopping: "0",
  backoff: "3",
  stopped: "3",
  parked: "3",
  failed: "3",
  unregistered: "4",
  unknown: "4",
};

describe("the exit codes", () => {
  it("are those of every error", () => {
    const classes = Object.keys(errors).filter((name) => name !== "GatewardenError");
    expect(sorted(ERRORS.map(({ name }) => name))).toEqual(sorted(classes));
    const actual = [...ERRORS, reportOf(new Error(""))].map(({ code, exitCode }) => `${exitCode} ${code}`);
    const documented = findAll(section(readme, "Exit codes"), /^\| \d .*$/gm).flatMap((row) =>
      findAll(row, /`([a-z0-9-]+)`/g).map((code) => `${row[2]} ${code}`)
    );
    expect(sorted(documented)).toEqual(sorted(actual));
  });

  it("are the same in the README and in the manual page", () => {
    const [general = "", ofStatus = ""] = manualSection("EXIT CODES").split(".El");
    const inManual = findAll(general, /^\.It (\d)/gm);
    expect(inManual).toEqual(findAll(section(readme, "Exit codes"), /^\| (\d)/gm));
    const states = findAll(ofStatus, /^\.It (\d\n.*)$/gm).flatMap((item) =>
      findAll(item, /[a-z]{3,}/g).map((state) => [state, item[0]])
    );
    expect(Object.fromEntries(states)).toEqual(EXIT_OF_STATE);
    for (const [state, exit] of Object.entries(EXIT_OF_STATE)) {
      expect.soft(exitCodeOfStatus([statusOf("a", { state: state as State })]), state).toBe(Number(exit));
    }
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Every field of a schema by its path; CODE stands for a key that is free. */
function fieldsOf(schema: Schema, path: readonly string[] = []): (readonly [readonly string[], Schema])[] {
  const free = typeof schema.additionalProperties === "object"
    ? schema.additionalProperties.properties
    : undefined;
  const inner = Object.entries(schema.properties ?? {}).map(([name, value]) =>
    [[...path, name], value] as const
  );
  const freeInner = Object.entries(free ?? {}).map(([name, value]) =>
    [[...path, "CODE", name], value] as const
  );
  return [...inner, ...freeInner].flatMap(([at, value]) => [[at, value] as const, ...fieldsOf(value, at)]);
}

describe("docs/definition.md", () => {
  const text = read("docs/definition.md");
  const fields = fieldsOf(JSON.parse(read("schema/definition.schema.json")));
  const items = section(text, "Fields").split(/\n(?=- `)|\n\n/).filter((item) => item.startsWith("- `"));
  const itemOf = new Map(items.map((item) => [/`(.*?)`/.exec(item)?.[1], item.replaceAll(/\s+/g, " ")]));

  it("has every field of the schema, in its order, and no other", () => {
    expect([...itemOf.keys()]).toEqual(fields.map(([path]) => pathText(path)));
  });

  it.each(fields.map(([path, schema]) => [pathText(path), path, schema] as const))(
    "says the default and the limits of %s",
    (name, path, schema) => {
      const item = itemOf.get(name) ?? "";
      const smallest = findAll(text, /^```json\n([^]*?)^```$/gm)[0] ?? "";
      const value = valueAt(parseDefinitionText(smallest), path);
      const isNeeded = NEEDED.some((needed) => pathText(needed) === name) || name.endsWith(".action");
      const inWords = ["command.named", "exitPolicy"].includes(name);
      const hasDefault = value !== undefined && schema.properties === undefined && !isNeeded && !inWords;
      expect(item.includes("(needed)")).toBe(isNeeded);
      if (hasDefault) expect(item).toContain(`(\`${JSON.stringify(value)}\`)`);
      if (schema.minimum !== undefined) expect(item).toContain(`${schema.minimum} to ${schema.maximum}`);
      for (const choice of schema.enum ?? []) expect(item).toContain(`\`"${choice}"\``);
    },
  );
});

/** What a heading is called in a link. */
function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\w\s-]/g, "").trim().replaceAll(" ", "-");
}

describe.each(documents)("%s", (path) => {
  const text = read(path);

  it("links to what is there", () => {
    const links = findAll(text, /\]\((?!https?:)([^)\s]+)\)/g);
    const broken = links.filter((link) => {
      const [file = "", fragment] = link.split("#");
      const target = file === "" ? new URL(path, root) : new URL(file, new URL(path, root));
      if (!existsSync(target)) return true;
      const headings = fragment === undefined ? [] : findAll(readFileSync(target, "utf8"), /^#+ (.+)$/gm);
      return fragment !== undefined && !headings.map(anchor).includes(fragment);
    });
    expect(broken).toEqual([]);
  });

  it.each(findAll(text, /^```json\n([^]*?)^```$/gm))("shows a definition that is one: %#", (json) => {
    expect(() => parseDefinitionText(json)).not.toThrow();
  });
});

describe("CHANGELOG.md", () => {
  it("has a part for this version", () => {
    expect(findAll(read("CHANGELOG.md"), /^## (.+)$/gm)).toContain(JSON.parse(read("package.json")).version);
  });
});

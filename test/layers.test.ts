import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * From the top down. A file imports from its own area and from lines further down, never from above or from
 * another area of its line.
 */
const LAYERS: readonly (readonly string[])[] = [
  ["bin.ts", "mod.ts"],
  ["cli/"],
  ["boot/"],
  ["registry.ts"],
  ["detect.ts"],
  ["s6/", "systemd/", "launchd/", "windows/"],
  ["host/"],
  ["manager.ts"],
  ["gateway/"],
  ["quote/"],
  ["errors.ts"],
];

/** What may not be imported, by which files; `except` lists the files that may after all. */
interface Ban {
  readonly rule: string;
  readonly what: RegExp;
  readonly by: RegExp;
  readonly except?: RegExp;
}

const BANS: readonly Ban[] = [
  {
    // s6/ has more that touches the machine than its manager: what the plans depend on is read in files of its own, and
    // two pieces, the skeleton and the own tree, are also offered by themselves.
    rule:
      "only */manager.ts, those of s6/ that read the machine, registry.ts, boot/, cli/ and host/ itself import host/",
    what: /^host\//,
    by: /^/,
    except:
      /^(?:host|boot|cli)\/|^[^/]+\/manager\.ts$|^s6\/(?:choose_scandir|scandir|seed|tree_manager|volume)\.ts$|^registry\.ts$/,
  },
  {
    rule:
      "quote/, gateway/ and every render.ts, plan.ts, steps.ts, status.ts and skeleton.ts are without effects",
    what: /^(?:host\/.*|dax|node:fs|node:fs\/promises|node:child_process)$/,
    by: /^(?:quote|gateway)\/|^(?!cli\/).*\b(?:render|plan|steps|status|skeleton)\.ts$/,
  },
  { rule: "only host/run.ts imports dax", what: /^dax$/, by: /^/, except: /^host\/run\.ts$/ },
  {
    rule: "only gateway/parse_definition.ts imports zod",
    what: /^zod$/,
    by: /^/,
    except: /^gateway\/parse_definition\.ts$/,
  },
];

const root = new URL("../", import.meta.url);
const dependencies = new Set(
  Object.keys(JSON.parse(readFileSync(new URL("package.json", root), "utf8")).dependencies),
);

/** The module specifiers a source text imports or re-exports, lazily or not, types too. */
function importsOf(source: string): string[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const patterns = [
    /^(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^import\s*["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']/g,
    /\bimport\(\s*([^"'\s)][^)]*)\)/g, // computed: no table can hold it, so it is reported
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
}

function areaOf(file: string): { line: number; area: string } | undefined {
  for (const [line, areas] of LAYERS.entries()) {
    const area = areas.find((name) => name.endsWith("/") ? file.startsWith(name) : file === name);
    if (area !== undefined) return { line, area };
  }
  return undefined;
}

/** What is wrong with one import of a file, both relative to src/. */
function faultsOfImport(file: string, specifier: string): string[] {
  const relative = specifier.startsWith(".");
  const target = relative ? posix.join(posix.dirname(file), specifier) : specifier;
  const banned = BANS.filter((ban) => ban.what.test(target) && ban.by.test(file) && !ban.except?.test(file));
  return [
    ...banned.map((ban) => ban.rule),
    ...(relative ? faultsOfPath(file, target) : faultsOfPackage(specifier)),
  ];
}

function faultsOfPath(file: string, target: string): string[] {
  const from = areaOf(file);
  const to = areaOf(target);
  if (from === undefined) return [];
  if (!target.endsWith(".ts")) return ["a relative import ends in .ts"];
  if (to === undefined) return ["what is imported has no place in the layers"];
  return from.area === to.area || from.line < to.line ? [] : ["imports point downwards"];
}

function faultsOfPackage(specifier: string): string[] {
  if (specifier.startsWith("node:")) return [];
  if (builtinModules.includes(specifier)) return ["a built-in module is imported with node:"];
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return dependencies.has(name) ? [] : ["a package is imported only if package.json depends on it"];
}

/** Every broken rule, as "FILE: SPECIFIER: RULE". The files are source texts by their path relative to src/. */
function faultsOf(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files).flatMap(([file, source]) => [
    ...(areaOf(file) === undefined ? [`${file}: the file has no place in the layers`] : []),
    ...importsOf(source).flatMap((specifier) =>
      faultsOfImport(file, specifier).map((fault) => `${file}: ${specifier}: ${fault}`)
    ),
  ]);
}

function readSources(): Record<string, string> {
  const src = new URL("src/", root);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts")
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(new URL(file, src), "utf8")]));
}

describe("the layers", () => {
  it("hold in every file of src/", () => {
    const sources = readSources();
    expect(Object.keys(sources)).toContain("mod.ts");
    expect(faultsOf(sources)).toEqual([]);
  });
});

describe("the layer rules", () => {
  it("allow what points downwards", () => {
    expect(faultsOf({
      "bin.ts": `import { main } from "./cli/app.ts";`,
      "cli/app.ts": `import { run } from "@stricli/core";\nconst x = await import("./commands/list.ts");`,
      "registry.ts": `import { detect } from "./detect.ts";\nimport { facts } from "./host/facts.ts";`,
      "s6/manager.ts": `import { plan } from "./plan.ts";\nimport { execute } from "../host/execute.ts";`,
      "s6/plan.ts": `import type { Step } from "../manager.ts";\nimport { sh } from "../quote/sh.ts";`,
      "host/run.ts": `const { $ } = await import("dax");\nimport { spawn } from "node:child_process";`,
      "gateway/parse_definition.ts": `import { z } from "zod";`,
      "quote/sh.ts": `/**\n * import { x } from "../cli/app.ts";\n */\nimport { E } from "../errors.ts";`,
    })).toEqual([]);
  });

  it.each([
    ["gateway/profile.ts", `import { a } from "../cli/app.ts";`, "imports point downwards"],
    ["host/files.ts", `import {\n  a,\n  type B,\n} from "../s6/plan.ts";`, "imports point downwards"],
    ["s6/render.ts", `import type { A } from "../systemd/render.ts";`, "imports point downwards"],
    ["detect.ts", `export * from "./registry.ts";`, "imports point downwards"],
    ["cli/app.ts", `import "../mod.ts";`, "imports point downwards"],
    ["errors.ts", `const a = await import("./quote/sh.ts");`, "imports point downwards"],
    ["detect.ts", `import { a } from "./host/facts.ts";`, "import host/"],
    ["s6/tree.ts", `import { a } from "../host/run.ts";`, "import host/"],
    ["mod.ts", `export { a } from "./host/facts.ts";`, "import host/"],
    ["s6/plan.ts", `import { a } from "../host/files.ts";`, "without effects"],
    ["s6/skeleton.ts", `import { readFileSync } from "node:fs";`, "without effects"],
    ["launchd/status.ts", `import { readFile } from "node:fs/promises";`, "without effects"],
    ["quote/sh.ts", `import { spawnSync } from "node:child_process";`, "without effects"],
    ["host/execute.ts", `import { $ } from "dax";`, "only host/run.ts imports dax"],
    ["gateway/definition.ts", `import { z } from "zod";`, "imports zod"],
    ["cli/app.ts", `import { a } from "./output";`, "ends in .ts"],
    ["cli/app.ts", `import { a } from "./output.js";`, "ends in .ts"],
    ["cli/app.ts", `import { join } from "path";`, "with node:"],
    ["cli/app.ts", `import { it } from "vitest";`, "only if package.json depends on it"],
    ["cli/app.ts", "const a = await import(`./commands/${verb}.ts`);", "only if package.json depends on it"],
    ["cli/app.ts", `import { a } from "../../scripts/tally.ts";`, "no place in the layers"],
    ["utils.ts", `export const a = 1;`, "no place in the layers"],
  ])("catch in %s: %s", (file, source, rule) => {
    expect(faultsOf({ [file]: source }).join("\n")).toContain(rule);
  });
});

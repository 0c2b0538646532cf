import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = new URL("../../src/", import.meta.url);

/** All that is loaded with a file of src/, by what it imports when it is loaded: files by path, packages by name. */
function loadedWith(...files: string[]): Set<string> {
  const loaded = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    if (!file.endsWith(".ts")) continue;
    const source = readFileSync(new URL(file, SRC), "utf8");
    const imports = /^(?:import|export)(?! type\b)[^;"]*?(?:from )?"([^"]+)"/gm;
    for (const [, specifier = ""] of source.matchAll(imports)) {
      waiting.push(specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier);
    }
  }
  return loaded;
}

const HEAVY = ["dax", "zod", "gateway/parse_definition.ts"];

describe("what is loaded", () => {
  it("follows imports over several files, and not those of types alone", () => {
    const loaded = loadedWith("cli/commands/status.ts");
    expect(loaded).toContain("errors.ts");
    expect(loaded).not.toContain("manager.ts");
  });

  it.each(HEAVY.slice(0, 2))("counts %s where it is imported", (name) => {
    expect(loadedWith("gateway/parse_definition.ts").has(name)).toBe(name === "zod");
  });
});

describe("the start", () => {
  it("loads the parser of arguments, and no verb", () => {
    const loaded = [...loadedWith("bin.ts")];
    expect(loaded).toContain("@stricli/core");
    expect(loaded.filter((file) => /^(?:cli\/commands|host|s6)\//.test(file) || HEAVY.includes(file)))
      .toEqual([]);
  });

  it.each(["detect", "render", "status", "list", "logs", "start", "register"])(
    "of %s loads neither dax nor zod",
    (verb) => {
      // What the verbs load on top, once they have their settings.
      const loaded = loadedWith("bin.ts", `cli/commands/${verb}.ts`, "registry.ts", "s6/manager.ts");
      expect([...loaded].filter((file) => HEAVY.includes(file))).toEqual([]);
    },
  );
});

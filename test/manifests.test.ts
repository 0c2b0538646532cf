import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));
const npm = read("package.json");
const deno = read("deno.json");
const lock = read("package-lock.json");

describe("the manifests", () => {
  it.each(["name", "version", "license"])("agree on the %s", (field) => {
    expect(deno[field]).toBe(npm[field]);
    expect(deno[field]).toBeTypeOf("string");
  });

  it("name every dependency once, in package.json", () => {
    expect(Object.keys(deno)).not.toContain("imports");
    expect(Object.keys(deno)).not.toContain("importMap");
  });

  it("have one lock, the one of npm", () => {
    expect(deno["lock"]).toBe(false);
    expect(deno["nodeModulesDir"]).toBe("manual");
    expect(lock["version"]).toBe(npm["version"]);
  });

  it("export the same module, as source and as built", () => {
    expect(deno["exports"]).toBe("./src/mod.ts");
    expect(npm["exports"]).toMatchObject({ ".": { types: "./dist/mod.d.ts", default: "./dist/mod.js" } });
  });

  it("run nothing on installation", () => {
    const scripts = Object.keys(npm["scripts"] as Record<string, string>);
    for (const hook of ["preinstall", "install", "postinstall", "prepare", "prepublish"]) {
      expect(scripts).not.toContain(hook);
    }
  });

  it("lock packages by hash and not by the registry they came from", () => {
    const packages = Object.entries(
      lock["packages"] as Record<string, { resolved?: string; integrity?: string }>,
    );
    for (const [path, entry] of packages.filter(([path]) => path !== "")) {
      expect.soft(entry.integrity, path).toMatch(/^sha512-/);
      expect.soft(entry.resolved, path).toBeUndefined();
    }
  });
});

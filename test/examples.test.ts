/** The examples in doc comments and documents: they type-check, run, and come to what they say. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const library = join(root, "src/mod.ts");

/** A block of TypeScript in a document. One that is marked `ignore` needs a real manager, and is not run. */
interface Example {
  readonly where: string;
  readonly code: string;
  readonly runs: boolean;
}

function examplesOf(path: string): Example[] {
  const source = readFileSync(join(root, path), "utf8");
  const text = path.endsWith(".ts") ? source.replaceAll(/^ *\*(?: |$)/gm, "") : source;
  return [...text.matchAll(/^```ts( ignore)?\n([^]*?)^```$/gm)].map(([, ignore, code = ""], index) => ({
    where: `${path} #${index + 1}`,
    code,
    runs: ignore === undefined,
  }));
}

function listFiles(folder: string, extension: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(extension)).sort().map((name) => `${folder}/${name}`);
}

const documents = ["README.md", ...listFiles("docs", ".md"), ...listFiles("src", ".ts")];
const examples = documents.flatMap(examplesOf);

/**
 * The program that an example is when it is run: with a path for the package's name, and a check for each statement
 * that says what it comes to in a comment behind it, as JSON: `commandOf(HERMES, "coder"); // ["hermes"]`.
 */
function programOf(code: string): string {
  const statements = code.split(/(?<=;(?: \/\/ .*)?\n)/).map((statement) => {
    const [, expression, comment] = /^(?!import|const)([^]*); \/\/ (.*)\n$/.exec(statement) ?? [];
    return expression === undefined || !isJson(comment)
      ? statement
      : `globalThis.assertExample(${expression}, ${comment});\n`;
  });
  return statements.join("").replaceAll('"gatewarden"', JSON.stringify(library));
}

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? "");
    return true;
  } catch {
    return false;
  }
}

describe("the examples", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatewarden-examples-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are in the README and in the library's doc comments", () => {
    const files = examples.map(({ where }) => where.split(" ")[0]);
    expect(files).toEqual(expect.arrayContaining(["README.md", "src/mod.ts", "src/registry.ts"]));
  });

  it("type-check", () => {
    for (const [index, { code }] of examples.entries()) writeFileSync(join(folder, `${index}.mts`), code);
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { paths: { gatewarden: [library] }, typeRoots: [join(root, "node_modules/@types")] },
      include: ["*.mts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    const named = stdout.replaceAll(/^\S*?(\d+)\.mts/gm, (_, index) => examples[Number(index)]?.where ?? "");
    expect(named).toBe("");
  }, 60_000);

  it.each(examples.filter(({ runs }) => runs))(
    "run, and come to what they say: $where",
    async ({ where, code }) => {
      vi.spyOn(console, "log").mockImplementation(() => {});
      const assertExample = vi.fn((actual: unknown, said: unknown) => expect(actual).toEqual(said));
      vi.stubGlobal("assertExample", assertExample);
      const path = join(folder, `run-${where.replaceAll(/\W+/g, "-")}.ts`);
      writeFileSync(path, programOf(code));
      await import(/* @vite-ignore */ pathToFileURL(path).href);
      const said = [...code.matchAll(/; \/\/ (.*)$/gm)].filter(([, comment]) => isJson(comment));
      expect(assertExample).toHaveBeenCalledTimes(said.length);
    },
  );
});

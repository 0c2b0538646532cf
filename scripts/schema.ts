/**
 * Writes schema/definition.schema.json from the code; with --check it only compares, and exits 1 on a difference.
 *   npm run schema                  deno task schema
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { definitionJsonSchema } from "../src/gateway/parse_definition.ts";

const file = new URL("../schema/definition.schema.json", import.meta.url);
const text = JSON.stringify(definitionJsonSchema(), null, 2) + "\n";

const [option, ...more] = process.argv.slice(2);
if (more.length > 0 || (option !== undefined && option !== "--check")) {
  console.error("usage: schema.ts [--check]");
  process.exitCode = 2;
} else if (option === undefined) {
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  console.error(
    "schema/definition.schema.json is not as the code has it. Write it anew with: npm run schema",
  );
  process.exitCode = 1;
}

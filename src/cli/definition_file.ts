/** A definition file -> a definition. Loads zod, so it is itself loaded only when there is a file. */
import { readFileSync } from "node:fs";
import { DefinitionError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { parseDefinitionText } from "../gateway/parse_definition.ts";

/**
 * Reads and checks a definition file.
 *
 * @throws {DefinitionError} When it cannot be read, or what it holds is no definition.
 */
export function readDefinitionFile(path: string): GatewayDefinition {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new DefinitionError(path, [{ path: "", message: reason(error) }], error);
  }
  return parseDefinitionText(text, path);
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a folder";
    case "EACCES":
      return "it may not be read";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

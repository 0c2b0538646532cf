/** A definition file -> a definition. */
import { readFileSync } from "node:fs";
import { DefinitionError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { loadDefinition } from "../gateway/load_definition.ts";

/**
 * Reads and checks a definition file.
 *
 * @throws {DefinitionError} When there is no such file, or what it holds is no definition.
 */
export async function readDefinitionFile(path: string): Promise<GatewayDefinition> {
  return await loadDefinition(readText(path), path);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = reasonOf(error);
    if (message === undefined) throw error;
    throw new DefinitionError(path, [{ path: "", message }], error);
  }
}

function reasonOf(error: unknown): string | undefined {
  switch (error instanceof Error && "code" in error && error.code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a folder";
  }
}

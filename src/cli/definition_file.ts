/** A definition file -> a definition. */
import { DefinitionError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { loadDefinition } from "../gateway/load_definition.ts";

/**
 * Reads and checks a definition file.
 *
 * @throws {DefinitionError} When there is no such file, or what it holds is no definition.
 * @throws {PermissionError} When root calls, and another user can change the file.
 */
export async function readDefinitionFile(path: string): Promise<GatewayDefinition> {
  return await loadDefinition(await readText(path), path);
}

async function readText(path: string): Promise<string> {
  const { readUnchangeableText } = await import("../host/checked_file.ts");
  try {
    return readUnchangeableText(path);
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

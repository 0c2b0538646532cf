/** JSON text -> definition, with the parser loaded only when it is needed. */
import type { GatewayDefinition } from "./definition.ts";

/**
 * Reads a definition from JSON text.
 *
 * @param text The document.
 * @param source What messages call it: a file name.
 * @throws {DefinitionError} Lists everything that is wrong, field by field.
 *
 * @example
 * ```ts
 * import { loadDefinition } from "gatewarden";
 * const definition = await loadDefinition(`{ "extends": "hermes", "home": "/srv/hermes" }`);
 * definition.command.default; // ["hermes", "gateway", "run", "--replace"]
 * ```
 */
export async function loadDefinition(
  text: string,
  source: string = "the definition",
): Promise<GatewayDefinition> {
  const { parseDefinitionText } = await import("./parse_definition.ts");
  return parseDefinitionText(text, source);
}

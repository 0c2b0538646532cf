/** What is wrong with a definition, in words: one message a field, each naming the field, the rule and the value. */
import type { DefinitionIssue } from "../errors.ts";
import { hasKey, type JsonPath, kindOf, pathText, showValue, valueAt } from "./json_value.ts";
import { nearMiss } from "./near_miss.ts";

/** What no definition can do without, unless it extends another. */
export const NEEDED: readonly JsonPath[] = [["name"], ["user"], ["home"], ["command", "default"]];

/** What a check against the schema found: as much of zod's issues as is used. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly path: JsonPath;
  /** The end of the sentence "it must be ...". */
  readonly message: string;
  /** With the code `unrecognized_keys`: the keys. */
  readonly keys?: readonly string[];
  /** With the code `invalid_key`: what is wrong with the key. */
  readonly issues?: readonly { readonly message: string }[];
}

/**
 * Everything that is wrong with a definition.
 *
 * @param json The definition.
 * @param found What the check against the schema found.
 * @param names The names of the fields of each object, by the first step of its path; those of the whole under "".
 */
export function definitionIssues(
  json: unknown,
  found: readonly SchemaIssue[],
  names: Readonly<Record<string, readonly string[]>>,
): DefinitionIssue[] {
  const issues = [
    ...missing(json),
    ...found.flatMap((issue) => explain(issue, json, names)),
    ...dropped(json),
  ];
  // A value may break two rules of one field; the field has one message.
  return [...new Map(issues.map((issue) => [`${issue.path}\n${issue.message}`, issue])).values()];
}

function missing(json: unknown): DefinitionIssue[] {
  if (kindOf(json) !== "an object" || hasKey(json, "extends")) return [];
  const paths = NEEDED.filter((path) => {
    const parent = valueAt(json, path.slice(0, -1));
    return (parent === undefined || kindOf(parent) === "an object") && !hasKey(parent, path.at(-1) ?? "");
  });
  return paths.map((path) => ({ path: pathText(path), message: "is missing" }));
}

/** zod drops a key of this name without a word. */
function dropped(json: unknown): DefinitionIssue[] {
  return ["environment", "exitPolicy"].filter((name) => hasKey(valueAt(json, [name]), "__proto__"))
    .map((name) => ({ path: pathText([name, "__proto__"]), message: "cannot be used as a name" }));
}

function explain(
  issue: SchemaIssue,
  json: unknown,
  names: Readonly<Record<string, readonly string[]>>,
): DefinitionIssue[] {
  if (issue.code === "unrecognized_keys") {
    const known = names[String(issue.path[0] ?? "")] ?? [];
    return (issue.keys ?? []).map((key) => ({
      path: pathText([...issue.path, key]),
      message: unknownField(key, known),
    }));
  }
  const path = pathText(issue.path);
  if (issue.code === "invalid_key") {
    return [{ path, message: `its key must be ${issue.issues?.[0]?.message}` }];
  }
  const value = valueAt(json, issue.path);
  if (value === undefined) return [{ path, message: `is missing; it must be ${issue.message}` }];
  return [{
    path,
    message: `must be ${issue.message}${isSecret(issue.path) ? "" : `, not ${showValue(value)}`}`,
  }];
}

/** The value of a variable may be a password: it is not shown. */
function isSecret(path: JsonPath): boolean {
  return path[0] === "environment" && path.length === 2;
}

function unknownField(key: string, known: readonly string[]): string {
  const near = nearMiss(key, known);
  return near === undefined ? "is not a field" : `is not a field; did you mean ${near}?`;
}

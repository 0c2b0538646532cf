/** Values in a JSON document, and how to speak of them. */

/** The way from the top of a document to a value in it. */
export type JsonPath = readonly PropertyKey[];

/** A path as people write it: `command.default[0]`, `environment["MY VAR"]`; empty for the whole document. */
export function pathText(path: JsonPath): string {
  return path.map((step, index) => {
    if (typeof step === "number") return `[${step}]`;
    const key = String(step);
    if (!/^[\w$-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
    return index === 0 ? key : `.${key}`;
  }).join("");
}

/** The value at a path; undefined when there is none. */
export function valueAt(document: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (value, step) => hasKey(value, step) ? value[step] : undefined,
    document,
  );
}

/** Whether a value is an object or a list that has a key itself, not by inheritance. */
export function hasKey<K extends PropertyKey>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/** A value as it is shown in a message: short, on one line. What has parts is only named. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value);
    case "number":
    case "boolean":
      return String(value);
    default:
      return kindOf(value);
  }
}

/** What a value is, with its article: `a number`. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const SHOWN_LENGTH = 60;

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { NEEDED } from "../../src/gateway/definition_issues.ts";
import { definitionJsonSchema } from "../../src/gateway/parse_definition.ts";
import { values, withValue } from "./definition_values.ts";

describe("schema/definition.schema.json", () => {
  const text = readFileSync(new URL("../../schema/definition.schema.json", import.meta.url), "utf8");

  it("is as the code has it", () => {
    expect(text, "write it anew with: npm run schema").toBe(
      JSON.stringify(definitionJsonSchema(), null, 2) + "\n",
    );
  });

  it("describes every field", () => {
    expect(undescribed(JSON.parse(text).properties)).toEqual([]);
  });

  it("holds patterns that a validator in Unicode mode takes", () => {
    const patterns = [...text.matchAll(/"pattern": (".*")/g)].map(([, pattern = ""]) => JSON.parse(pattern));
    expect(patterns.length).toBeGreaterThan(5);
    for (const pattern of patterns) expect(() => new RegExp(pattern, "u")).not.toThrow();
  });

  it("asks for what parseDefinition asks for", () => {
    const [extending, whole] = JSON.parse(text).anyOf;
    expect(extending).toEqual({ required: ["extends"] });
    const needed = whole.required.map((name: string) =>
      [name, ...(whole.properties[name]?.required ?? [])].join(".")
    );
    expect(needed).toEqual(NEEDED.map((path) => path.join(".")));
  });

  it("accepts and refuses the values that parseDefinition accepts and refuses", () => {
    // zod reads schemas too, anyOf beside properties excepted: that is what the test above is for.
    const { anyOf: _, ...schema } = JSON.parse(text);
    const bySchema = z.fromJSONSchema(schema);
    const verdicts = values.flatMap(([path, accepted, refused]) =>
      [...accepted, ...refused].map((value) => {
        const json = withValue(path, value);
        return {
          path,
          value,
          accepted: accepted.includes(value),
          bySchema: bySchema.safeParse(json).success,
        };
      })
    );
    expect(verdicts.length).toBeGreaterThan(100);
    expect(verdicts.filter((verdict) => verdict.accepted !== verdict.bySchema)).toEqual([]);
  });
});

/** The paths of the fields that have no description. */
function undescribed(properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [
    ...(typeof field["description"] === "string" ? [] : [name]),
    ...undescribed((field["properties"] ?? {}) as typeof properties).map((inner) => `${name}.${inner}`),
  ]);
}

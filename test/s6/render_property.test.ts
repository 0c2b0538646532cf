import fc from "fast-check";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GatewayDefinition, HERMES } from "../../src/gateway/definition.ts";
import { findProgram } from "../../src/host/facts.ts";
import { renderRun, renderSlot } from "../../src/s6/render.ts";
import { missing, runScript, SHELLS, unparsable } from "../shells.ts";

// Nothing checks what a library passes in, so the scripts must hold whatever stands in a definition.
const text = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.constantFrom(
      "'",
      '"',
      "\\",
      "$(id)",
      "`",
      "${",
      "}",
      "\n",
      "\r",
      "\u2028",
      ";;",
      "esac",
      ")",
      "#",
      "fi",
      "<<E",
      "é",
    ),
  ),
  { maxLength: 5 },
).map((pieces) => pieces.join("").replaceAll("\0", ""));
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/);
const variable = fc.oneof(name, fc.constantFrom("PATH", "UID", "LC_ALL", "IFS", "SECONDS", "_", "__proto__"));
const environment = fc.dictionary(variable, text, { maxKeys: 4 });
const words = fc.array(text, { minLength: 1, maxLength: 4 });
const definition: fc.Arbitrary<GatewayDefinition> = fc.record({
  name: text,
  servicePrefix: text.map((prefix) => prefix.slice(0, 20)),
  user: text,
  fallbackId: fc.nat(),
  home: text,
  homeVariable: name,
  command: fc.record({ default: words, named: words }),
  environment,
  supervisedMarkers: fc.array(name, { maxLength: 2 }),
  path: fc.array(text, { maxLength: 2 }),
  exitPolicy: fc.dictionary(
    fc.nat(255).map(String),
    fc.record({ action: fc.constantFrom("park", "restart"), meaning: text }),
    { maxKeys: 3 },
  ),
  log: fc.record({
    directory: text,
    files: fc.nat(),
    fileBytes: fc.nat(),
    timestamp: fc.constantFrom("iso", "tai64n", "none"),
    copyToStandardOutput: fc.boolean(),
  }),
  stop: fc.record({
    signal: fc.constantFrom("SIGTERM", "SIGINT"),
    drainSeconds: fc.nat(),
    graceSeconds: fc.nat(),
  }),
});
const slot = fc.tuple(
  definition,
  fc.oneof(fc.constant("default"), fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/)),
  fc.record({
    interpreter: fc.constantFrom("with-contenv", "sh"),
    extraEnv: environment,
    secretEnv: fc.dictionary(name.map((one) => `S${one}`), text, { maxKeys: 2 }),
    startNow: fc.boolean(),
  }),
);

const scriptsOf = (slots: readonly Parameters<typeof renderSlot>[]): string[] =>
  slots.flatMap((args) => renderSlot(...args)).map(({ text }) => text).filter((text) =>
    text.startsWith("#!")
  );

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "render-"));
  writeFileSync(join(folder, "id"), "#!/bin/sh\necho 10000\n");
  chmodSync(join(folder, "id"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

// A smaller example would take long to find, and the failure shows the scripts that count.
const FEW = { numRuns: 3, endOnFailure: true } as const;

describe("a rendered script", () => {
  it("starts with comments, whatever stands in a definition", () => {
    fc.assert(fc.property(slot, (args) => {
      for (const script of scriptsOf([args])) {
        expect(script.split("\n").slice(1, 4).filter((line) => !line.startsWith("#"))).toEqual([]);
      }
    }));
  });

  it.for(SHELLS)("parses under $name, whatever stands in a definition", (shell, { skip }) => {
    const why = missing(shell);
    skip(why !== undefined, why);
    const batch = fc.array(slot, { minLength: 30, maxLength: 40 });
    fc.assert(
      fc.property(batch, (slots) => {
        expect(unparsable(shell, scriptsOf(slots))).toEqual([]);
      }),
      FEW,
    );
  });
});

describe("renderRun", () => {
  const print: GatewayDefinition["command"] = {
    default: ["/usr/bin/env", "-0"],
    named: ["/usr/bin/env", "-0"],
  };
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  it.for(SHELLS)("brings any environment to the gateway, to the byte, under $name", (shell, { skip }) => {
    const why = missing(shell);
    skip(why !== undefined, why);
    const definition = { ...HERMES, home: folder, command: print, path: [] };
    const large = fc.dictionary(variable, text, { minKeys: 30, maxKeys: 60, noNullPrototype: true });
    fc.assert(
      fc.property(large, (extraEnv) => {
        const script = renderRun(definition, "coder", { interpreter: "sh", extraEnv });
        const printed = runScript(shell, script, { PATH: `${folder}:${process.env["PATH"]}` });
        expect(decoder.decode(printed).split("\0")).toEqual(
          expect.arrayContaining(Object.entries(extraEnv).map(([name, value]) => `${name}=${value}`)),
        );
      }),
      FEW,
    );
  });

  it.for(SHELLS)("brings any secret through s6-envdir to the byte, under $name", (shell, { skip }) => {
    const why = missing(shell) ??
      (findProgram("s6-envdir") === undefined ? "s6-envdir is not installed" : undefined);
    skip(why !== undefined, why);
    const definition = { ...HERMES, home: folder, command: print, path: [] };
    const name = variable.filter((one) =>
      !/^(?:PATH|LD_|GCONV_PATH|GLIBC_|LANGUAGE|LOCPATH|MALLOC_|NLSPATH)/.test(one)
    );
    const long = fc.string({ minLength: 4000, maxLength: 6000 }).filter((one) => !one.includes("\0"));
    const secrets = fc.dictionary(name, fc.oneof({ weight: 9, arbitrary: text }, long), {
      minKeys: 10,
      maxKeys: 30,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(secrets, (secretEnv) => {
        const slot = mkdtempSync(join(folder, "slot-"));
        mkdirSync(join(slot, "env"));
        const files = renderSlot(definition, "coder", { interpreter: "sh", secretEnv });
        for (const { path, text: value } of files.filter(({ path }) => path.includes("/env/"))) {
          writeFileSync(join(slot, path.replace("gateway-coder/", "")), value);
        }
        const script = files.find(({ path }) => path === "gateway-coder/run")?.text ?? "";
        const printed = runScript(shell, script, { PATH: `${folder}:${process.env["PATH"]}` }, slot);
        expect(decoder.decode(printed).split("\0")).toEqual(
          expect.arrayContaining(Object.entries(secretEnv).map(([key, value]) => `${key}=${value}`)),
        );
      }),
      FEW,
    );
  });
});

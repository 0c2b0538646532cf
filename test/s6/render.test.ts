import { describe, expect, it } from "vitest";
import { InvalidProfileNameError, UsageError } from "../../src/errors.ts";
import { type GatewayDefinition, HERMES } from "../../src/gateway/definition.ts";
import { renderFinish, renderLogRun, renderRun, renderSlot } from "../../src/s6/render.ts";

const run = (extraEnv: Record<string, string>, definition: GatewayDefinition = HERMES): string =>
  renderRun(definition, "coder", { interpreter: "with-contenv", extraEnv });
const logRun = (definition: GatewayDefinition): string => renderLogRun(definition, "coder", "with-contenv");
const withLog = (log: Partial<GatewayDefinition["log"]>): GatewayDefinition => ({
  ...HERMES,
  log: { ...HERMES.log, ...log },
});
const lastLine = (script: string): string => script.trimEnd().split("\n").at(-1) ?? "";

describe("renderSlot", () => {
  const modes = (...args: Parameters<typeof renderSlot>): Record<string, string> =>
    Object.fromEntries(renderSlot(...args).map(({ path, mode }) => [path, mode.toString(8)]));
  const contents = (...args: Parameters<typeof renderSlot>): Record<string, string> =>
    Object.fromEntries(renderSlot(...args).map(({ path, text }) => [path.replace(/^[^/]*\//, ""), text]));

  it("gives the scripts and what s6 reads besides", () => {
    expect(modes(HERMES, "coder", { interpreter: "sh" })).toEqual({
      "gateway-coder/finish": "755",
      "gateway-coder/log/run": "755",
      "gateway-coder/log/type": "644",
      "gateway-coder/run": "755",
      "gateway-coder/timeout-finish": "644",
      "gateway-coder/timeout-kill": "644",
      "gateway-coder/type": "644",
    });
  });

  it("keeps a script with an environment of its own to the supervisor", () => {
    const { "gateway-coder/run": mode } = modes(HERMES, "coder", {
      interpreter: "sh",
      extraEnv: { TOKEN: "x" },
    });
    expect(mode).toBe("700");
    expect(modes(HERMES, "coder", { interpreter: "sh", extraEnv: {} })).toMatchObject({
      "gateway-coder/run": "755",
    });
  });

  it("keeps a secret in a file of its own and out of every script, which all may read then", () => {
    const files = renderSlot(HERMES, "coder", { interpreter: "sh", secretEnv: { B: "s3cret", A: "" } });
    const ofEnv = files.filter(({ path }) => path.startsWith("gateway-coder/env/"));
    expect(ofEnv).toEqual([
      { path: "gateway-coder/env/A", mode: 0o600, text: "\n" },
      { path: "gateway-coder/env/B", mode: 0o600, text: "s3cret\n" },
    ]);
    expect(files.filter(({ text }) => text.includes("s3cret"))).toEqual([ofEnv[1]]);
    expect(files.find(({ path }) => path === "gateway-coder/run")?.mode).toBe(0o755);
  });

  it("has no env folder where nothing would be in it", () => {
    const withOthers = {
      interpreter: "sh",
      extraEnv: { A: "1" },
      secretEnv: { A: "2", HERMES_SUPERVISED_CHILD: "" },
    } as const;
    for (const options of [{ interpreter: "sh" } as const, withOthers]) {
      const { run, ...others } = contents(HERMES, "coder", options);
      expect(Object.keys(others).filter((path) => path.startsWith("env"))).toEqual([]);
      expect(run).not.toContain("s6-envdir");
    }
  });

  it.each(["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH"])(
    "keeps no %s in a file, because root reads it before the drop",
    (name) => {
      const render = (): unknown =>
        renderSlot(HERMES, "coder", { interpreter: "sh", secretEnv: { [name]: "/opt/data/x" } });
      expect(render).toThrow(UsageError);
      expect(render).toThrow(`Cannot keep ${name} in a file of root: it decides which programs`);
    },
  );

  it.each<[string, Record<string, string>]>([
    ["a name that no shell takes", { "A-B": "" }],
    ["a name that leads elsewhere", { "../run": "" }],
    ["a NUL", { A: "s3cret\0" }],
    ["half a character", { A: "s3cret\ud800" }],
  ])("refuses %s in what is secret, and does not show the value", (_, secretEnv) => {
    const render = (): unknown => renderSlot(HERMES, "coder", { interpreter: "sh", secretEnv });
    expect(render).toThrow(UsageError);
    expect(render).not.toThrow(/s3cret/);
  });

  it("has a down file exactly when the gateway is not to start", () => {
    expect(contents(HERMES, "coder", { interpreter: "sh", startNow: false })).toMatchObject({ down: "" });
    expect(contents(HERMES, "coder", { interpreter: "sh", startNow: true })).not.toHaveProperty("down");
    expect(contents(HERMES, "coder", { interpreter: "sh" })).not.toHaveProperty("down");
  });

  it("gives the stop budget to s6", () => {
    const stop = { signal: "SIGINT", drainSeconds: 3, graceSeconds: 2 } as const;
    expect(contents({ ...HERMES, stop }, "coder", { interpreter: "sh" })).toMatchObject({
      "down-signal": "SIGINT\n",
      "timeout-kill": "5000\n",
      "timeout-finish": "5000\n",
    });
  });

  it("leaves the signal to s6 when it is s6's own", () => {
    expect(contents(HERMES, "coder", { interpreter: "sh" })).not.toHaveProperty("down-signal");
  });

  it.each([["with-contenv", "#!/command/with-contenv sh\n"], ["sh", "#!/bin/sh\n"]] as const)(
    "starts run and log/run with %s, and finish always with sh",
    (interpreter, shebang) => {
      const files = contents(HERMES, "coder", { interpreter });
      expect(files["run"]?.startsWith(shebang)).toBe(true);
      expect(files["log/run"]?.startsWith(shebang)).toBe(true);
      expect(files["finish"]?.startsWith("#!/bin/sh\n")).toBe(true);
    },
  );

  it("refuses what is no profile name", () => {
    expect(() => renderSlot(HERMES, "../coder", { interpreter: "sh" })).toThrow(InvalidProfileNameError);
  });
});

describe("renderRun", () => {
  it("resets HOME and changes to it before the drop", () => {
    const script = run({});
    const at = (text: string): number => {
      expect(script).toContain(text);
      return script.indexOf(text);
    };
    expect(at("\nexport HOME=/opt/data\n")).toBeLessThan(at("exec s6-setuidgid hermes "));
    expect(at("\ncd /opt/data\n")).toBeLessThan(at("exec s6-setuidgid hermes "));
    expect(at("\ncd /opt/data\n")).toBeLessThan(at('[ "$(id -u)" = 0 ] || exec '));
  });

  it("ends with the line for a user and the line for root", () => {
    const definition = { ...HERMES, path: [] };
    expect(run({}, definition).split("\n").slice(-3)).toEqual([
      '[ "$(id -u)" = 0 ] || exec hermes -p coder gateway run --replace',
      "exec s6-setuidgid hermes hermes -p coder gateway run --replace",
      "",
    ]);
  });

  it("sets both markers of a supervised child", () => {
    expect(run({})).toContain("export HERMES_S6_SUPERVISED_CHILD=1\nexport HERMES_SUPERVISED_CHILD=1\n");
  });

  it("exports the environment, quoted and sorted by name", () => {
    expect(run({ ZED: "a'b", FOO: "bar baz", _A: "", a: "$x" })).toContain(
      `cd /opt/data\nexport FOO='bar baz'\nexport ZED='a'"'"'b'\nexport _A=''\nexport a='$x'\nexport HERMES_`,
    );
  });

  it("lets a profile's environment win over the definition's", () => {
    const script = run({ B: "profile" }, { ...HERMES, environment: { A: "definition", B: "definition" } });
    expect(script).toContain("export A=definition\nexport B=profile\n");
  });

  it.each(["A-B", "1A", "", "A B", "A=B", "A\nB", "A;id", "é"])("refuses %j as a name", (name) => {
    expect(() => run({ [name]: "x" })).toThrow(UsageError);
    expect(() => run({}, { ...HERMES, environment: { [name]: "x" } })).toThrow(UsageError);
    expect(() => run({}, { ...HERMES, supervisedMarkers: [name] })).toThrow(UsageError);
    expect(() => run({}, { ...HERMES, homeVariable: name })).toThrow(UsageError);
    expect(() => logRun({ ...HERMES, homeVariable: name })).toThrow(UsageError);
  });

  it("refuses a NUL in a value", () => {
    expect(() => run({ KEY: "a\0b" })).toThrow("Cannot set KEY: the value holds a NUL.");
  });

  it.each([
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LC_ALL",
    "UID",
    "SECONDS",
  ])(
    "leaves %s to env, after the drop",
    (name) => {
      const script = run({ [name]: "/x y" }, { ...HERMES, path: [] });
      expect(script).not.toContain(`export ${name}`);
      expect(lastLine(script)).toBe(
        `exec s6-setuidgid hermes env ${name}='/x y' hermes -p coder gateway run --replace`,
      );
    },
  );

  it("puts the definition's folders before PATH, after the drop", () => {
    const path = ["/opt/a b/bin", "/opt/c"];
    expect(lastLine(run({}, { ...HERMES, path }))).toContain(
      `s6-setuidgid hermes env PATH='/opt/a b/bin:/opt/c'"\${PATH:+:$PATH}" hermes `,
    );
    expect(lastLine(run({ PATH: "/bin" }, { ...HERMES, path }))).toContain(
      "s6-setuidgid hermes env PATH='/opt/a b/bin:/opt/c:/bin' hermes ",
    );
  });
});

describe("renderLogRun", () => {
  it.each(
    [
      ["Hermes' own settings", {}, "1 n10 s1000000 T"],
      ["no copy", { copyToStandardOutput: false }, "n10 s1000000 T"],
      ["a TAI64N stamp", { timestamp: "tai64n" }, "1 n10 s1000000 t"],
      ["no stamp", { timestamp: "none" }, "1 n10 s1000000"],
      ["other sizes", { files: 3, fileBytes: 4096 }, "1 n3 s4096 T"],
    ] as const,
  )("gives s6-log the directives in order: %s", (_, log, directives) => {
    const script = logRun(withLog(log));
    expect(script).toContain(`\n[ "$(id -u)" = 0 ] || exec s6-log ${directives} "$log_dir"\n`);
    expect(lastLine(script)).toBe(`exec s6-setuidgid hermes s6-log ${directives} "$log_dir"`);
  });

  it("names s6-log on its last two lines only", () => {
    const script = logRun(HERMES).trimEnd().split("\n");
    expect(script.map((line, index) => line.includes("s6-log") ? index - script.length : 0).filter(Number))
      .toEqual([
        -2,
        -1,
      ]);
  });

  it("touches no path after the setup", () => {
    const script = logRun(HERMES);
    expect(script.slice(script.indexOf("\nfi\n") + 4)).not.toMatch(/mkdir|rm |chown|chmod|touch|>/);
  });

  it.each([
    ["logs/{profile}", 'log_dir="$HERMES_HOME/logs/coder"'],
    ["my logs/{profile}", `log_dir="$HERMES_HOME/"'my logs/coder'`],
    ["$(id)/{profile}", `log_dir="$HERMES_HOME/"'$(id)/coder'`],
    ["/var/log/{profile}", "log_dir=/var/log/coder"],
    ["/var/my log/{profile}", "log_dir='/var/my log/coder'"],
  ])("writes the folder %s as %s", (directory, line) => {
    expect(logRun(withLog({ directory }))).toContain(`\n${line}\n`);
  });

  it("needs no home for an absolute folder", () => {
    expect(logRun(withLog({ directory: "/var/log/{profile}" }))).not.toContain("HERMES_HOME");
  });
});

describe("renderFinish", () => {
  it("keeps a meaning in one line", () => {
    const exitPolicy = { 3: { action: "park", meaning: "first\nsecond\0third" } } as const;
    expect(renderFinish({ ...HERMES, exitPolicy }, "coder")).toContain(
      "\n  3) exit 125 ;; # first second third\n",
    );
  });

  it("lists the codes that park in rising order, each with its meaning", () => {
    const park = (meaning: string) => ({ action: "park", meaning }) as const;
    const exitPolicy = {
      100: park("licence"),
      9: park("flags"),
      75: { action: "restart", meaning: "x" },
    } as const;
    expect(renderFinish({ ...HERMES, exitPolicy }, "coder")).toContain(
      'case "$1" in\n  9) exit 125 ;; # flags\n  100) exit 125 ;; # licence\nesac\nexit 0\n',
    );
  });
});

import { describe, expect, it } from "vitest";
import { formatMode, formatPlan, formatStep } from "../../src/cli/format_plan.ts";
import type { Step } from "../../src/manager.ts";

const LINES: readonly [Step, string][] = [
  [
    { do: "run", argv: ["/command/s6-svscanctl", "-a", "/run/service"], timeoutMs: 5000 },
    "run /command/s6-svscanctl -a /run/service # at most 5 s",
  ],
  [
    { do: "run", argv: ["echo", "it's", ""], timeoutMs: 1500, okCodes: [0, 1] },
    `run echo 'it'"'"'s' '' # at most 1.5 s; may exit with 0, 1`,
  ],
  [{ do: "mkdir", path: "/run/a b", mode: 0o755 }, "mkdir 0755 '/run/a b'"],
  [{ do: "mkdir", path: "/run/event", mode: 0o3730, group: 10000 }, "mkdir 03730 /run/event group 10000"],
  [{ do: "write", path: "/run/type", mode: 0o644, text: "longrun\n" }, "write 0644 /run/type (8 bytes)"],
  [{ do: "write", path: "/run/x", mode: 0o600, text: "é" }, "write 0600 /run/x (2 bytes)"],
  [{ do: "write", path: "/run/x", mode: 0o600, text: "x" }, "write 0600 /run/x (1 byte)"],
  [
    { do: "replace", path: "/opt/data/.gatewarden.json", text: "{}", as: "hermes", bestEffort: true },
    "replace /opt/data/.gatewarden.json as hermes (2 bytes) # best effort",
  ],
  [
    {
      do: "update",
      path: "/opt/data/gateway_state.json",
      fields: { desired_state: "stopped", by: "me" },
      as: "hermes",
      bestEffort: true,
    },
    "update /opt/data/gateway_state.json as hermes (desired_state: stopped, by: me) # best effort",
  ],
  [{ do: "fifo", path: "/run/control", mode: 0o660, group: 0 }, "fifo 0660 /run/control group 0"],
  [{ do: "rename", from: "/run/.a", to: "/run/a" }, "rename /run/.a -> /run/a"],
  [{ do: "remove", path: "/run/a" }, "remove /run/a"],
  [
    { do: "wait", until: { kind: "supervised", directory: "/run/a" }, timeoutMs: 5000 },
    "wait until an s6-supervise runs on /run/a, at most 5 s",
  ],
  [
    { do: "wait", until: { kind: "unsupervised", directory: "/run/a" }, timeoutMs: 250 },
    "wait until no s6-supervise runs on /run/a, at most 0.25 s",
  ],
];

describe("formatStep", () => {
  it.each(LINES)("puts %j on one line", (step, line) => {
    expect(formatStep(step)).toBe(line);
  });
});

describe("formatPlan", () => {
  it("puts each step on a line, and what takes it back below it", () => {
    const steps: Step[] = [
      {
        do: "rename",
        from: "/run/.a",
        to: "/run/a",
        undo: [{ do: "rename", from: "/run/a", to: "/run/.a" }, {
          do: "remove",
          path: "/run/.a",
          bestEffort: true,
        }],
      },
      { do: "remove", path: "/run/b" },
    ];
    expect(formatPlan({ steps })).toBe(
      "rename /run/.a -> /run/a\n" +
        "  undo: rename /run/a -> /run/.a\n" +
        "  undo: remove /run/.a # best effort\n" +
        "remove /run/b\n",
    );
  });

  it("puts what is cleared away first before the rest", () => {
    const steps: Step[] = [{ do: "remove", path: "/run/b" }];
    const leftover: Step[] = [{ do: "remove", path: "/run/.a" }];
    const plan = { verb: "register", profile: "a", service: "gateway-a", steps: leftover } as const;
    expect(formatPlan({ leftovers: [plan], steps })).toBe(
      "# left behind by a run that was killed:\nremove /run/.a\n# then:\nremove /run/b\n",
    );
  });

  it("of no steps is empty", () => {
    expect(formatPlan({ steps: [] })).toBe("");
  });
});

describe("formatMode", () => {
  it.each([[0o644, "0644"], [0o1777, "01777"], [0, "00"]])("writes %i as %s", (mode, text) => {
    expect(formatMode(mode)).toBe(text);
  });
});

import { describe, expect, it } from "vitest";
import { HERMES } from "../../src/gateway/definition.ts";
import type { Plan, Step, UndoStep } from "../../src/manager.ts";
import {
  planRegister,
  planRestart,
  planStart,
  planStop,
  planSweep,
  planUnregister,
} from "../../src/s6/plan.ts";
import { renderSlot } from "../../src/s6/render.ts";
import {
  brief,
  briefly,
  byGroup,
  context,
  DESIRED,
  MARKER,
  NEW,
  OLD,
  SLOT,
  slot,
  steps,
} from "./plan_context.ts";

const files = renderSlot(HERMES, "coder", { interpreter: "with-contenv" });
const register = planRegister(context, files, true);

const plans: readonly (readonly [string, Plan])[] = [
  ["register", register],
  ["unregister", planUnregister(context, slot)],
  ["start", planStart(context, { ...slot, down: true })],
  ["stop", planStop(context, slot)],
  ["restart", planRestart(context, { ...slot, down: true })],
  ["sweep", planSweep(context, ".gatewarden-x.new.1-2-3-0", true)],
  ["start by group", planStart(context, byGroup)],
  ["stop by group", planStop(context, byGroup)],
  ["restart by group", planRestart(context, byGroup)],
];
const allSteps = (plan: Plan): (Step | UndoStep)[] =>
  plan.steps.flatMap((step) => [step, ...step.undo ?? []]);
const allArguments = (plan: Plan): string[] =>
  allSteps(plan).flatMap((step) => step.do === "run" ? step.argv.slice(1) : []);

describe("every plan", () => {
  it.each(plans)("to %s has a time limit on all that takes time", (_, plan) => {
    for (const step of allSteps(plan)) {
      if (step.do === "run" || step.do === "wait") expect(step.timeoutMs, brief(step)).toBeGreaterThan(0);
    }
  });

  it.each(plans)("to %s never nukes: s6-svscanctl -n ends what it does not know", (_, plan) => {
    for (const argument of allArguments(plan)) expect(argument).not.toMatch(/^-[a-z]*n/);
  });

  it.each(plans)(
    "to %s does not leave a new process to s6-svc -r, for which an exit with 0 parks",
    (_, plan) => {
      for (const argument of allArguments(plan)) expect(argument).not.toMatch(/^-[a-z]*r/);
    },
  );

  it.each(plans)("to %s writes to the volume as the service user, and as best it can", (_, plan) => {
    const onVolume = allSteps(plan).filter((step) => "path" in step && step.path.startsWith("/opt/data"));
    for (const step of onVolume) {
      expect(step).toMatchObject({ do: "replace", as: "hermes", bestEffort: true });
    }
  });

  it("says nothing to the volume where the profile has no folder", () => {
    const bare = { ...context, profileFolder: undefined };
    const all = [
      planRegister(bare, files, true),
      planUnregister(bare, slot),
      planStart(bare, slot),
      planStop(bare, slot),
      planRestart(bare, slot),
    ];
    expect(all.flatMap(briefly).filter((line) => line.startsWith("replace"))).toEqual([]);
  });
});

describe("planRegister", () => {
  it("builds the slot whole under a dot name, publishes it by one rename, and waits until it is supervised", () => {
    const at = briefly(register).indexOf(`rename ${NEW} ${SLOT}`);
    expect(briefly(register).slice(0, at).every((line) => line.includes(` ${NEW}`))).toBe(true);
    expect(briefly(register).slice(at)).toEqual([
      `rename ${NEW} ${SLOT}`,
      "s6-svscanctl -a /run/service",
      `wait supervised ${SLOT}`,
      `wait supervised ${SLOT}/log`,
      `replace ${DESIRED}`,
      `remove ${SLOT}/data/registering`,
    ]);
  });

  it("puts every rendered file into it, with its mode and text", () => {
    const written = register.steps.flatMap((step) =>
      step.do === "write" && !step.path.includes("/data/")
        ? [{ path: step.path.replace(NEW, "gateway-coder"), mode: step.mode, text: step.text }]
        : []
    );
    expect(written).toEqual(files);
  });

  it("makes a folder before what goes into it", () => {
    const made = briefly(register).filter((line) => /^(?:mkdir|write|fifo) /.test(line)).map((line) =>
      line.replace(/^\w+ /, "")
    );
    for (const [index, path] of made.entries()) {
      if (path !== NEW) expect(made.slice(0, index)).toContain(path.slice(0, path.lastIndexOf("/")));
    }
    expect(new Set(made).size).toBe(made.length);
  });

  it("says in the slot who registers it until that is through", () => {
    expect(steps(register, `write ${NEW}/data/registering`)[0]).toMatchObject({ text: "1-2-3-0\n" });
    expect(briefly(register).at(-1)).toBe(`remove ${SLOT}/data/registering`);
  });

  it("gives the service group access to control, and to nothing else", () => {
    const shared = register.steps.filter((step) => "group" in step).map(brief);
    expect(shared).toEqual([
      `mkdir ${NEW}/supervise`,
      `fifo ${NEW}/supervise/control`,
      `mkdir ${NEW}/log/supervise`,
      `fifo ${NEW}/log/supervise/control`,
    ]);
    const own = planRegister({ ...context, group: undefined }, files, true);
    expect(own.steps.filter((step) => "group" in step)).toEqual([]);
  });

  it("takes a published slot back out of sight, and ends its supervisors, before it deletes it", () => {
    const undo = register.steps.toReversed().flatMap((step) => step.undo ?? []).map(brief);
    expect(undo).toEqual([
      `rename ${SLOT} ${NEW}`,
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${NEW}`,
      `wait unsupervised ${NEW}`,
      `s6-svc -wD -T 1000 -x ${NEW}/log`,
      `s6-svc -dx ${NEW}/log`,
      `wait unsupervised ${NEW}/log`,
      `remove ${NEW}`,
      `remove ${NEW}`,
    ]);
  });

  it("records no intent for a gateway that is not to start", () => {
    expect(briefly(planRegister(context, files, false))).not.toContain(`replace ${DESIRED}`);
  });

  it("says what to do where no s6-svscan runs", () => {
    const hint = "Is an s6-svscan running on /run/service? Start one with: s6-svscan /run/service";
    expect(steps(register, "s6-svscanctl")).toMatchObject([
      { failures: { 100: { is: "command", hint }, 111: { is: "command", hint } } },
    ]);
  });
});

describe("planUnregister", () => {
  it("stops, takes the slot out of sight, and deletes it once supervisor and logger are gone", () => {
    expect(briefly(planUnregister(context, slot))).toEqual([
      `replace ${MARKER}`,
      `s6-svc -wD -T 80000 -d ${SLOT}`,
      `replace ${DESIRED}`,
      `rename ${SLOT} ${OLD}`,
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${OLD}`,
      `wait unsupervised ${OLD}`,
      `s6-svc -wD -T 1000 -x ${OLD}/log`,
      `s6-svc -dx ${OLD}/log`,
      `wait unsupervised ${OLD}/log`,
      `remove ${OLD}`,
    ]);
  });

  it("does not stop what nobody supervises, and does not wait for a logger that is not there", () => {
    const plan = planUnregister(context, { ...slot, supervised: false, log: false, process: undefined });
    expect(briefly(plan)).toEqual([
      `replace ${DESIRED}`,
      `rename ${SLOT} ${OLD}`,
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${OLD}`,
      `wait unsupervised ${OLD}`,
      `remove ${OLD}`,
    ]);
  });

  it("goes on without an s6-svscan: what counts is that no supervisor is left", () => {
    expect(steps(planUnregister(context, slot), "s6-svscanctl")).toMatchObject([{ bestEffort: true }]);
    for (const wait of steps(planUnregister(context, slot), "wait")) expect(wait.bestEffort).toBeUndefined();
  });
});

describe("planSweep", () => {
  it("ends the supervision of a leftover and deletes it, and touches no slot and no intent", () => {
    const leftover = "/run/service/.gatewarden-gateway-other.old.9-9-9-0";
    expect(briefly(planSweep(context, ".gatewarden-gateway-other.old.9-9-9-0", false))).toEqual([
      "s6-svscanctl -a /run/service",
      `s6-svc -dx ${leftover}`,
      `wait unsupervised ${leftover}`,
      `remove ${leftover}`,
    ]);
  });

  it("is about the leftover, whatever the profile that is worked on", () => {
    expect(planSweep(context, ".gatewarden-gateway-other.old.9-9-9-0", true)).toMatchObject({
      service: ".gatewarden-gateway-other.old.9-9-9-0",
    });
  });
});

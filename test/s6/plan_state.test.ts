/** What plans do about the files on the volume, and about those that hold secrets. */
import { describe, expect, it } from "vitest";
import { HERMES } from "../../src/gateway/definition.ts";
import type { Plan } from "../../src/manager.ts";
import { planRegister, planRestart, planStart, planStop, planUnregister } from "../../src/s6/plan.ts";
import { renderSlot } from "../../src/s6/render.ts";
import { briefly, context, DESIRED, NEW, slot, steps } from "./plan_context.ts";

const THEIRS = "/opt/data/profiles/coder/gateway_state.json";
const files = renderSlot(HERMES, "coder", { interpreter: "sh" });

type Context = typeof context;
const plans: readonly (readonly [string, (context: Context) => Plan, string])[] = [
  ["register", (context) => planRegister(context, files, true), "running"],
  ["unregister", (context) => planUnregister(context, slot), "stopped"],
  ["start", (context) => planStart(context, slot), "running"],
  ["stop", (context) => planStop(context, slot), "stopped"],
  ["restart", (context) => planRestart(context, slot), "running"],
];

describe("a plan, where Hermes keeps a state file,", () => {
  it.each(plans)("to %s keeps it in step right after our own, best effort", (_, plan, desired) => {
    const all = plan({ ...context, gatewayState: true });
    const [update] = steps(all, "update");
    expect(update).toEqual({
      do: "update",
      path: THEIRS,
      fields: { desired_state: desired },
      as: "hermes",
      bestEffort: true,
    });
    expect(briefly(all).indexOf(`update ${THEIRS}`)).toBe(briefly(all).indexOf(`replace ${DESIRED}`) + 1);
  });

  it("touches it in no verb that records nothing", () => {
    expect(steps(planRegister({ ...context, gatewayState: true }, files, false), "update")).toEqual([]);
  });
});

describe("a plan, where there is none,", () => {
  it.each(plans)("to %s makes none", (_, plan) => {
    expect(briefly(plan(context)).filter((step) => step.includes("gateway_state"))).toEqual([]);
  });
});

describe("a plan to register", () => {
  it("makes the folder of secrets before they are written, for the supervisor alone", () => {
    const secretEnv = { TOKEN: "x" };
    const plan = planRegister(context, renderSlot(HERMES, "coder", { interpreter: "sh", secretEnv }), true);
    expect(steps(plan, `mkdir ${NEW}/env`)).toEqual([{ do: "mkdir", path: `${NEW}/env`, mode: 0o700 }]);
    const all = briefly(plan);
    expect(all.indexOf(`mkdir ${NEW}/env`)).toBeLessThan(all.indexOf(`write ${NEW}/env/TOKEN`));
  });

  it("makes no such folder where there is no secret", () => {
    expect(briefly(planRegister(context, files, true)).join("\n")).not.toContain("/env");
  });
});

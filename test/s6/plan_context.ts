/** What plans on a scandir are made for in tests, and a short way to write their steps down. */
import { HERMES } from "../../src/gateway/definition.ts";
import type { Plan, Step, UndoStep } from "../../src/manager.ts";
import type { S6Context, SlotFacts } from "../../src/s6/steps.ts";

export const SLOT = "/run/service/gateway-coder";
export const NEW = "/run/service/.gatewarden-gateway-coder.new.1-2-3-0";
export const OLD = "/run/service/.gatewarden-gateway-coder.old.1-2-3-0";
export const DESIRED = "/opt/data/profiles/coder/.gatewarden.json";
export const MARKER = "/opt/data/profiles/coder/.gateway-planned-stop.json";

/** A container in which root owns the tree. */
export const context: S6Context = {
  definition: HERMES,
  profile: "coder",
  service: "gateway-coder",
  scandir: "/run/service",
  programs: {
    "s6-svc": "/command/s6-svc",
    "s6-svscanctl": "/command/s6-svscanctl",
    "s6-svstat": "/command/s6-svstat",
    "s6-svwait": "/command/s6-svwait",
  },
  group: 10000,
  profileFolder: "/opt/data/profiles/coder",
  gatewayState: false,
  owner: "1-2-3-0",
  now: new Date("2026-01-02T03:04:05.678Z"),
  callerPid: 200,
};
/** A slot of the caller's own, running. */
export const slot: SlotFacts = {
  log: true,
  supervised: true,
  down: false,
  own: true,
  process: { pid: 100, startTime: 2000 },
};
/** The same slot for a caller who is only a member of the group. */
export const byGroup: SlotFacts = { ...slot, own: false };

/** A step in a few words: what it does, and to what. */
export function brief(step: Step | UndoStep): string {
  switch (step.do) {
    case "run":
      return step.argv.join(" ").replace("/command/", "");
    case "rename":
      return `rename ${step.from} ${step.to}`;
    case "wait":
      return `wait ${step.until.kind} ${step.until.directory}`;
    default:
      return `${step.do} ${step.path}`;
  }
}
/** All steps of a plan, each in a few words. */
export const briefly = (plan: Plan): string[] => plan.steps.map(brief);
/** The steps that start with these words. */
export const steps = (plan: Plan, start: string): Step[] =>
  plan.steps.filter((step) => brief(step).startsWith(start));
/** The JSON that a plan writes to a file on the volume. */
export const fileText = (plan: Plan, path: string): unknown =>
  plan.steps.flatMap((step) => step.do === "replace" && step.path === path ? [JSON.parse(step.text)] : [])[0];

/** A plan as text: one line a step, as a person would write it down. */
import type { Action, Condition, Plan, Step, UndoStep } from "../manager.ts";
import { quoteSh, quoteShCommand } from "../quote/sh.ts";
import { bytesOf } from "./without_secrets.ts";

/**
 * Every step of a plan on a line of its own; what takes a step back is indented below it. Limits and the like follow
 * a command after `#`, so that the rest of the line can be run as it stands.
 *
 * @returns The lines, each ended by a newline; empty when there is nothing to do.
 */
export function formatPlan({ leftovers = [], steps }: Pick<Plan, "leftovers" | "steps">): string {
  const lines = [
    ...leftovers.flatMap((plan) => ["# left behind by a run that was killed:", ...linesOf(plan.steps)]),
    ...(leftovers.length === 0 ? [] : ["# then:"]),
    ...linesOf(steps),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function linesOf(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => [
    formatStep(step),
    ...(step.undo ?? []).map((action) => `  undo: ${formatStep(action)}`),
  ]);
}

/** One step on one line, without what takes it back. */
export function formatStep(step: Step | UndoStep): string {
  const notes = notesOf(step);
  return notes.length === 0 ? formatAction(step) : `${formatAction(step)} # ${notes.join("; ")}`;
}

function formatAction(action: Action): string {
  switch (action.do) {
    case "run":
      return `run ${quoteShCommand(action.argv)}`;
    case "mkdir":
      return `mkdir ${formatMode(action.mode)} ${quoteSh(action.path)}` +
        formatId("owner", action.owner) + formatId("group", action.group);
    case "fifo":
      return `fifo ${formatMode(action.mode)} ${quoteSh(action.path)}${formatId("group", action.group)}`;
    case "write":
      return `write ${formatMode(action.mode)} ${quoteSh(action.path)} (${formatSize(action.text)})`;
    case "replace":
      return `replace ${quoteSh(action.path)} as ${quoteSh(action.as)} (${formatSize(action.text)})`;
    case "update":
      return `update ${quoteSh(action.path)} as ${quoteSh(action.as)} (${
        Object.entries(action.fields).map(([name, value]) => `${name}: ${value}`).join(", ")
      })`;
    case "rename":
      return `rename ${quoteSh(action.from)} -> ${quoteSh(action.to)}`;
    case "remove":
      return `remove ${quoteSh(action.path)}`;
    case "wait":
      return `wait until ${formatCondition(action.until)}, at most ${formatSeconds(action.timeoutMs)}`;
  }
}

function formatCondition({ kind, directory }: Condition): string {
  const path = quoteSh(directory);
  return {
    supervised: `an s6-supervise runs on ${path}`,
    unsupervised: `no s6-supervise runs on ${path}`,
    up: `${path} is up`,
    down: `${path} is down`,
  }[kind];
}

function notesOf(step: Step | UndoStep): string[] {
  const notes: string[] = [];
  if (step.do === "run") {
    notes.push(`at most ${formatSeconds(step.timeoutMs)}`);
    if (step.okCodes !== undefined) notes.push(`may exit with ${step.okCodes.join(", ")}`);
  }
  if (step.bestEffort) notes.push("best effort");
  return notes;
}

/** Permission bits as chmod and C write them: 0755, 03730. */
export function formatMode(mode: number): string {
  return `0${mode.toString(8)}`;
}

function formatId(name: string, id: number | undefined): string {
  return id === undefined ? "" : ` ${name} ${id}`;
}

/** The size of a text: `8 bytes`. */
export function formatSize(text: string): string {
  const bytes = bytesOf(text);
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

function formatSeconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

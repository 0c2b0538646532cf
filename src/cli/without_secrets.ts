/** What may be printed of a file that is for its owner alone: how large it is, and nothing of what it says. */
import type { Plan, RenderedFile, Step, UndoStep } from "../manager.ts";

/** Whether a file is for its owner alone. */
export function isPrivate({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o077) === 0;
}

/** The size of a text, in bytes. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A plan for `--json`. */
export function planForJson(plan: Plan): unknown {
  return {
    ...plan,
    ...(plan.leftovers === undefined ? {} : { leftovers: plan.leftovers.map(planForJson) }),
    steps: plan.steps.map(stepForJson),
  };
}

function stepForJson(step: Step | UndoStep): unknown {
  const undo = "undo" in step && step.undo !== undefined ? { undo: step.undo.map(stepForJson) } : {};
  return { ...(step.do === "write" ? withoutSecrets(step) : step), ...undo };
}

/** A file with `bytes` in the place of its text when it is for its owner alone. */
export function withoutSecrets<FILE extends Pick<RenderedFile, "mode" | "text">>(
  file: FILE,
): FILE | Omit<FILE, "text"> & { readonly bytes: number } {
  if (!isPrivate(file)) return file;
  const { text, ...rest } = file;
  return { ...rest, bytes: bytesOf(text) };
}

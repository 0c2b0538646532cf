/**
 * The service user's own supervision tree: one service of root's, whose script drops to the user and becomes an
 * s6-svscan on the user's own scandir. Supervisors and scripts of every gateway then run as the user, and none as root.
 */
import { posix } from "node:path";
import { type GatewayDefinition, stopBudgetMs } from "../gateway/definition.ts";
import type { Plan, RenderedFile, Step } from "../manager.ts";
import { quoteSh } from "../quote/sh.ts";
import { planRegister, planUnregister } from "./plan.ts";
import { type Interpreter, IS_ROOT, NEEDS_ID, scriptOf, SHEBANG } from "./render.ts";
import { type S6Context, type SlotFacts, slotPath } from "./steps.ts";

/** Where the trees are: a folder of root's. */
export const TREES = "/run/gatewarden";

/** The scandir of a user's own tree. */
export function treeScandir(user: string): string {
  return posix.join(TREES, user);
}

/** The service that runs a user's own tree. */
export function treeService(user: string): string {
  return `gatewarden-${user}`;
}

/** How long a tree may take to stop all its gateways: longer than the longest of them may take, by what s6 adds. */
export function treeBudgetMs(definition: GatewayDefinition): number {
  return stopBudgetMs(definition.stop) + 10_000;
}

/** The service of a tree, at paths below root's scandir. */
export function renderTree(definition: GatewayDefinition, interpreter: Interpreter): RenderedFile[] {
  const { user } = definition;
  const service = treeService(user);
  const file = (path: string, mode: number, text: string): RenderedFile => ({
    path: `${service}/${path}`,
    mode,
    text,
  });
  // s6-svscan writes a newline to descriptor 3 when it is up, and ends all it supervises on SIGTERM.
  const svscan = `s6-svscan -d 3 ${quoteSh(treeScandir(user))}`;
  return [
    file("notification-fd", 0o644, "3\n"),
    file(
      "run",
      0o755,
      scriptOf(
        SHEBANG[interpreter],
        "# shellcheck shell=sh",
        `# Run by s6-supervise to become ${user}'s own s6-svscan, as the supervisor's own user.`,
        `# Root only drops to ${user}: all that is supervised from there on runs as ${user}, supervisors and scripts too.`,
        "exec 2>&1",
        ...NEEDS_ID,
        "cd /",
        `${IS_ROOT} || exec ${svscan}`,
        `exec s6-setuidgid ${quoteSh(user)} ${svscan}`,
      ),
    ),
    file("timeout-kill", 0o644, `${treeBudgetMs(definition)}\n`),
    file("type", 0o644, "longrun\n"),
  ];
}

/** What was found of a tree. */
export interface TreeFacts {
  /** Whether the folder of all trees is there. */
  readonly trees: boolean;
  /** Whether the user's scandir is there. */
  readonly scandir: boolean;
  /** The service user. */
  readonly ids: { readonly uid: number; readonly gid: number };
}

/**
 * Makes the user's scandir, the one thing here that is not root's, and the service that watches it.
 *
 * @param context Of the tree's service in root's scandir.
 */
export function planTreeInstall(context: S6Context, files: readonly RenderedFile[], facts: TreeFacts): Plan {
  const { user } = context.definition;
  const scandir = treeScandir(user);
  const folders: Step[] = [
    ...(facts.trees ? [] : [folder(TREES, {})]),
    ...(facts.scandir ? [] : [folder(scandir, { owner: facts.ids.uid, group: facts.ids.gid })]),
  ];
  const ready: Step = {
    do: "run",
    argv: [context.programs["s6-svwait"], "-U", "-t", "5000", slotPath(context)],
    timeoutMs: 10_000,
    failures: {
      99: { is: "timeout", limitMs: 5000, stillThere: `no s6-svscan of ${user}'s watches ${scandir}` },
    },
  };
  const register = planRegister(context, files, true);
  return { ...register, verb: "tree install", steps: [...folders, ...register.steps, ready] };
}

function folder(path: string, ids: { readonly owner?: number; readonly group?: number }): Step {
  return { do: "mkdir", path, mode: 0o755, ...ids, undo: [{ do: "remove", path }] };
}

/**
 * Stops the tree with all its gateways and takes it away. What is in the user's scandir is removed by the user.
 *
 * @param dropTo The words that run a program as the user: `s6-setuidgid hermes`.
 */
export function planTreeUninstall(
  context: S6Context,
  slot: SlotFacts,
  dropTo: readonly string[],
  find: string,
): Plan {
  const scandir = treeScandir(context.definition.user);
  const unregister = planUnregister(context, slot, { timeoutMs: treeBudgetMs(context.definition) + 10_000 });
  return {
    ...unregister,
    verb: "tree uninstall",
    steps: [
      ...unregister.steps,
      { do: "run", argv: [...dropTo, find, scandir, "-mindepth", "1", "-delete"], timeoutMs: 10_000 },
      { do: "remove", path: scandir },
    ],
  };
}

/**
 * The service user's own supervision tree: one service of root's, whose script drops to the user and becomes an
 * s6-svscan on the user's own scandir. Supervisors and scripts of every gateway then run as the user, and none as root.
 */
import { posix } from "node:path";
import { type GatewayDefinition, stopBudgetMs } from "../gateway/definition.ts";
import type { Plan, RenderedFile, Step, UndoStep } from "../manager.ts";
import { quoteSh } from "../quote/sh.ts";
import { planRegister, planUnregister } from "./plan.ts";
import { type Interpreter, IS_ROOT, NEEDS_ID, scriptOf, SHEBANG } from "./render.ts";
import { publish, type S6Context, type SlotFacts, slotPath } from "./steps.ts";

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
  const service = treeService(definition.user);
  const file = (path: string, mode: number, text: string): RenderedFile => ({
    path: `${service}/${path}`,
    mode,
    text,
  });
  return [
    // s6-svscan writes a newline to descriptor 3 when it is up.
    file("notification-fd", 0o644, "3\n"),
    file("run", 0o755, renderTreeRun(definition, interpreter)),
    file("timeout-kill", 0o644, `${treeBudgetMs(definition)}\n`),
    file("type", 0o644, "longrun\n"),
  ];
}

/** The script that becomes the user's own s6-svscan. */
export function renderTreeRun({ user }: GatewayDefinition, interpreter: Interpreter): string {
  const scandir = quoteSh(treeScandir(user));
  return scriptOf(
    SHEBANG[interpreter],
    "# shellcheck shell=sh",
    `# Run by s6-supervise to become ${user}'s own s6-svscan, as the supervisor's own user.`,
    `# Root only drops to ${user}: all that is supervised from there on runs as ${user}, supervisors and scripts too.`,
    "exec 2>&1",
    ...NEEDS_ID,
    `if ${IS_ROOT}; then`,
    "  # Once is enough, or s6-setuidgid is none.",
    `  [ "\${1-}" != dropped ] || exit 111`,
    `  exec s6-setuidgid ${quoteSh(user)} sh "$0" dropped`,
    "fi",
    "cd /",
    "# What was killed leaves running what it supervised, and that would keep a new s6-svscan from its slots. All of it",
    "# is to end also when this is asked to end meanwhile.",
    "ended=",
    "trap 'ended=1' TERM",
    `while s6-svscanctl -t ${scandir} 2>/dev/null; do sleep 1; done`,
    `for slot in ${scandir}/*/; do s6-svc -dx "$slot" 2>/dev/null; done`,
    `for slot in ${scandir}/*/; do`,
    '  while s6-svok "$slot" 2>/dev/null; do sleep 1; done',
    "  # A logger first reads what is left; a process that escaped its gateway could keep it for ever.",
    '  s6-svc -wD -T 1000 -x "$slot/log" 2>/dev/null',
    '  s6-svc -dx "$slot/log" 2>/dev/null',
    "done",
    "trap - TERM",
    '[ -z "$ended" ] || exit 0',
    `exec s6-svscan -d 3 ${scandir}`,
  );
}

/** What was found of a tree. */
export interface TreeFacts {
  /** Whether the folder of all trees is there. */
  readonly trees: boolean;
  /** The user's scandir: `foreign` is one that is not the user's, such as a killed installation leaves. */
  readonly scandir: "absent" | "own" | "foreign";
  /** Whether the service is in place, and only the end of its installation is missing. */
  readonly half: boolean;
  /** The service user. */
  readonly ids: { readonly uid: number; readonly gid: number };
  /** The words that run `find` as the user. */
  readonly find: readonly string[];
}

/**
 * Makes the user's scandir, the one thing here that is not root's, and the service that watches it. A scandir that is
 * left from an earlier life of the container is emptied first: a tree starts empty, as `/run/service` does.
 *
 * @param context Of the tree's service in root's scandir.
 */
export function planTreeInstall(context: S6Context, files: readonly RenderedFile[], facts: TreeFacts): Plan {
  const { definition, profile, service } = context;
  const scandir = treeScandir(definition.user);
  const ready: Step = {
    do: "run",
    argv: [context.programs["s6-svwait"], "-U", "-t", String(READY_LIMIT_MS), slotPath(context)],
    timeoutMs: 2 * READY_LIMIT_MS,
    failures: {
      99: {
        is: "gateway",
        why: `after ${READY_LIMIT_MS / 1000} s no s6-svscan of ${definition.user}'s watches ${scandir}`,
      },
    },
  };
  const prepare = folders(scandir, facts);
  // Of two callers only the one whose rename succeeds goes on to the user's scandir.
  const steps = facts.half
    ? [...prepare, ...publish(context, false, false)]
    : planRegister(context, files, true).steps.flatMap((step) =>
      step.do === "rename" ? [step, ...prepare] : [step]
    );
  return { verb: "tree install", profile, service, steps: [...steps, ready] };
}

const READY_LIMIT_MS = 5_000;

function folders(scandir: string, { trees, scandir: found, half, ids, find }: TreeFacts): Step[] {
  const make: Step = {
    do: "mkdir",
    path: scandir,
    mode: 0o755,
    owner: ids.uid,
    group: ids.gid,
    undo: [empty(scandir, find), { do: "remove", path: scandir }],
  };
  return [
    // It stays when the rest is undone: another user's tree may be in it by then.
    ...(trees ? [] : [{ do: "mkdir", path: TREES, mode: 0o755 } as const]),
    ...(found === "foreign" ? [{ do: "remove", path: scandir } as const] : []),
    ...(found !== "own" ? [make] : half ? [] : [empty(scandir, find)]),
  ];
}

function empty(scandir: string, find: readonly string[]): UndoStep {
  return { do: "run", argv: [...find, scandir, "-mindepth", "1", "-delete"], timeoutMs: 10_000 };
}

/** What there is to uninstall. */
export interface TreeParts {
  /** The service in root's scandir. */
  readonly slot: SlotFacts | undefined;
  /** Whether the user's scandir is there. */
  readonly scandir: boolean;
  /** The words that run `find` as the user. */
  readonly find: readonly string[];
}

/** Stops the tree with all its gateways and takes it away. What is in the user's scandir is removed by the user. */
export function planTreeUninstall(context: S6Context, { slot, scandir, find }: TreeParts): Plan {
  const { definition, profile, service } = context;
  const path = treeScandir(definition.user);
  const options = { timeoutMs: treeBudgetMs(definition) + 10_000 };
  const steps: Step[] = [
    ...(slot === undefined ? [] : planUnregister(context, slot, options).steps),
    ...(scandir ? [empty(path, find), { do: "remove", path } as const] : []),
  ];
  return { verb: "tree uninstall", profile, service, steps };
}

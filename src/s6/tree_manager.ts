/** Own trees on a real machine. */
import { posix } from "node:path";
import process from "node:process";
import {
  FileError,
  PermissionError,
  ProgramNotFoundError,
  TreeAlreadyInstalledError,
  UsageError,
} from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { execute } from "../host/execute.ts";
import { dropTo, findProgram, findUser, readHostFacts, userName } from "../host/facts.ts";
import { assertOwnTree, isErrno, isFolder, isRoot, lstatIfThere, makeFolder } from "../host/files.ts";
import { runInForeground } from "../host/foreground.ts";
import { readSlot } from "../host/slots.ts";
import type { Outcome, Plan, Step } from "../manager.ts";
import { DEFAULT_SCANDIR, foregroundScandir, isOwnFolder } from "./choose_scandir.ts";
import { assertScandir, contextOf, isHalfRegistered, readRecord, slotFactsOf, sweepsOf } from "./scandir.ts";
import type { S6Context } from "./steps.ts";
import {
  planTreeInstall,
  planTreeUninstall,
  renderTree,
  type TreeFacts,
  TREES,
  treeScandir,
  treeService,
} from "./tree.ts";

/** Whose tree, and in which scandir of root's its service is. */
export interface TreeSettings {
  /** What is run in the tree; its user is whose tree it is. */
  readonly definition: GatewayDefinition;
  /** Root's scandir; by default `/run/service`. */
  readonly scandir?: string;
  /** Called before each step. */
  readonly onStep?: (step: Step) => void;
}

/** A tree as it is found. */
export interface TreeStatus {
  readonly user: string;
  /** The user's scandir. */
  readonly scandir: string;
  /** The service that runs the tree. */
  readonly service: string;
  readonly installed: boolean;
  readonly running: boolean;
  /** The s6-svscan of the tree; null when it does not run. */
  readonly pid: number | null;
}

/**
 * The steps that install a tree.
 *
 * @throws {PermissionError} When the caller is not root.
 * @throws {UsageError} When the machine does not know the user.
 */
export function planInstall(settings: TreeSettings): Plan {
  const context = treeContext("install", settings);
  const { user } = settings.definition;
  const ids = findUser(user);
  if (ids === undefined || ids.uid === 0) {
    throw new UsageError(
      `Cannot install a tree for ${user}: ${ids === undefined ? "there is no such user" : "it is root"}.`,
      {
        hint: "A tree is for the unprivileged user that the definition names.",
      },
    );
  }
  const files = renderTree(settings.definition, readHostFacts().withContenv ? "with-contenv" : "sh");
  const slot = posix.join(context.scandir, context.service);
  const half = isHalfRegistered(context.scandir, context.service, files);
  if (lstatIfThere(slot) !== undefined && !half) throw new TreeAlreadyInstalledError(user, slot);
  const find = findAs(user);
  const plan = planTreeInstall(context, files, { ...readFolders(user, ids.uid), half, ids, find });
  return { ...plan, leftovers: sweepsOf(context) };
}

function readFolders(user: string, uid: number): Pick<TreeFacts, "trees" | "scandir"> {
  const trees = isFolder(TREES);
  // Root makes the user's scandir in it.
  if (trees) assertOwnTree(TREES, userName);
  const stats = lstatIfThere(treeScandir(user));
  if (stats === undefined) return { trees, scandir: "absent" };
  return { trees, scandir: stats.isDirectory() && stats.uid === uid ? "own" : "foreign" };
}

/** The steps that take a tree away; none when there is no tree. */
export async function planUninstall(settings: TreeSettings): Promise<Plan> {
  const context = treeContext("uninstall", settings);
  const { user } = settings.definition;
  const slot = posix.join(context.scandir, context.service);
  const reading = readSlot(slot);
  const plan = planTreeUninstall(context, {
    slot: reading === undefined ? undefined : await slotFactsOf(slot, reading),
    scandir: isFolder(treeScandir(user)),
    find: findAs(user),
  });
  return { ...plan, leftovers: sweepsOf(context) };
}

function findAs(user: string): string[] {
  const find = findProgram("find");
  if (find === undefined) throw new ProgramNotFoundError("find", "It comes with findutils and with busybox.");
  return [...dropTo(user), find];
}

/** Installs a tree, and waits until its s6-svscan watches the user's scandir. */
export async function installTree(settings: TreeSettings): Promise<Outcome> {
  const plan = planInstall(settings);
  try {
    return await execute(plan, settings.onStep);
  } catch (error) {
    const taken = error instanceof FileError && isErrno(error.cause, "ENOTEMPTY", "EEXIST");
    if (!taken) throw error;
    const slot = posix.join(settings.scandir ?? DEFAULT_SCANDIR, plan.service);
    throw new TreeAlreadyInstalledError(settings.definition.user, slot, error);
  }
}

/** Stops a tree with all its gateways, and takes it away. */
export async function uninstallTree(settings: TreeSettings): Promise<Outcome> {
  return await execute(await planUninstall(settings), settings.onStep);
}

/** What a tree is doing. */
export async function treeStatus(
  { definition, scandir = DEFAULT_SCANDIR }: TreeSettings,
): Promise<TreeStatus> {
  const { user } = definition;
  const slot = posix.join(scandir, treeService(user));
  const reading = readSlot(slot);
  const supervised = reading !== undefined && reading.supervised !== false;
  const pid = supervised ? (await readRecord(slot, reading))?.pid ?? null : null;
  return {
    user,
    scandir: treeScandir(user),
    service: treeService(user),
    installed: reading !== undefined,
    running: pid !== null,
    pid,
  };
}

function treeContext(verb: string, { definition, scandir = DEFAULT_SCANDIR }: TreeSettings): S6Context {
  if (!isRoot()) {
    throw new PermissionError(`Cannot ${verb} a tree: only root can.`, {
      hint: "As the user itself, a tree runs in the foreground with: gatewarden tree run",
    });
  }
  assertScandir(scandir);
  return {
    ...contextOf(scandir, definition, "default"),
    profile: definition.user,
    service: treeService(definition.user),
    group: undefined,
    profileFolder: undefined,
  };
}

/**
 * Runs a tree of the caller's own until it is asked to end.
 *
 * @param scandir The folder to watch; by default `$XDG_RUNTIME_DIR/gatewarden`, made when it is not there.
 * @param onStart Called with the folder before s6-svscan starts.
 * @returns The exit code of s6-svscan.
 * @throws {PermissionError} When root calls, or the folder is not the caller's alone.
 */
export async function runTree(
  scandir: string | undefined,
  onStart: (scandir: string) => void,
): Promise<number> {
  const folder = scandir === undefined ? foregroundScandir() : posix.resolve(scandir);
  if (folder === undefined) {
    throw new PermissionError("Cannot run a tree: it would run as root.", {
      hint: "For the service user's own tree, run: gatewarden tree install",
    });
  }
  const program = findProgram("s6-svscan");
  if (program === undefined) {
    throw new ProgramNotFoundError(
      "s6-svscan",
      "It is part of s6. On Debian, install it with: apt-get install s6",
    );
  }
  makeOwnFolder(folder);
  onStart(folder);
  // The scripts of slots call s6's programs by name, and /command is not on everybody's PATH.
  const env = { ...process.env, PATH: `${posix.dirname(program)}:${process.env["PATH"] ?? ""}` };
  // Of all signals this is the one by which s6-svscan ends what it supervises and waits for it.
  return await runInForeground([program, folder], { env, endWith: "SIGTERM" });
}

function makeOwnFolder(path: string): void {
  try {
    if (lstatIfThere(path) === undefined) makeFolder(path, 0o700);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(`Cannot run a tree on ${path}: ${why}.`, {
      hint: "Name another folder with --scandir DIR.",
      cause,
    });
  }
  if (isOwnFolder(path)) return;
  throw new PermissionError(`Cannot run a tree on ${path}: it is no folder of yours alone.`, {
    hint: "Name one that belongs to you and that nobody else may write to, with --scandir DIR.",
  });
}

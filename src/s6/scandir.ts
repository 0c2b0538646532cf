/** What verbs on a scandir are planned from. Reads only. */
import { posix } from "node:path";
import process from "node:process";
import { PermissionError, ProgramNotFoundError, type S6CommandError, UsageError } from "../errors.ts";
import { type GatewayDefinition, HERMES } from "../gateway/definition.ts";
import { DESIRED_STATE_FILE, parseDesiredState } from "../gateway/desired_state.ts";
import { profileFolderOf, serviceName } from "../gateway/profile.ts";
import {
  containerEnvironment,
  findProgram,
  findUser,
  isAlive,
  processIdentity,
  processStartTime,
  runtimeFolder,
  userName,
} from "../host/facts.ts";
import {
  assertOwnTree,
  isErrno,
  isFolder,
  isRoot,
  listFolder,
  lstatIfThere,
  readSmallText,
} from "../host/files.ts";
import { run } from "../host/run.ts";
import { readSlot, type SlotReading } from "../host/slots.ts";
import type { Desired, Plan, RenderedFile } from "../manager.ts";
import { formatOwner, ownerOfName, parseOwner } from "./names.ts";
import { planSweep } from "./plan.ts";
import { treeScandir } from "./tree.ts";
import { REGISTERING, type RunningProcess, type S6Context, type S6Program, type SlotFacts } from "./steps.ts";
import { parseStatusRecord, parseSvstat, type S6Record, SVSTAT_FIELDS } from "./status.ts";

/** The scandir of s6-overlay. */
export const DEFAULT_SCANDIR = "/run/service";

/** A scandir, and why it is the one. */
export interface ScandirChoice {
  readonly scandir: string;
  readonly reason: string;
}

/**
 * The scandir to use where none is named: the service user's own tree when there is one, as an unprivileged caller the
 * tree that `gatewarden tree run` keeps, else that of s6-overlay.
 */
export function chooseScandir({ user }: GatewayDefinition): ScandirChoice {
  const own = treeScandir(user);
  if (isFolder(own)) return { scandir: own, reason: `${user} has a tree of its own` };
  const foreground = foregroundScandir();
  if (foreground !== undefined && isOwnFolder(foreground)) {
    return { scandir: foreground, reason: "the caller has a tree of its own (gatewarden tree run)" };
  }
  return { scandir: DEFAULT_SCANDIR, reason: `there is no tree of ${user}'s own, no folder ${own}` };
}

/** The scandir of the tree that a user runs in the foreground; undefined for root. */
export function foregroundScandir(): string | undefined {
  if (isRoot()) return undefined;
  const runtime = runtimeFolder();
  return runtime === undefined ? `/tmp/gatewarden-${process.getuid?.()}` : posix.join(runtime, "gatewarden");
}

/** Whether a folder is the caller's own, and nobody else may change what is in it. */
export function isOwnFolder(path: string): boolean {
  const stats = lstatIfThere(path);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

/**
 * The user to become before looking into a scandir: its owner, when root calls and it is somebody else's. Undefined
 * when the caller can go on as it is.
 */
export function ownerToBecome(
  { scandir, definition = HERMES }: { readonly scandir?: string; readonly definition?: GatewayDefinition },
): string | undefined {
  if (!isRoot()) return undefined;
  const uid = lstatIfThere(posix.resolve(scandir ?? chooseScandir(definition).scandir))?.uid ?? 0;
  return uid === 0 ? undefined : userName(uid);
}

/**
 * Refuses a scandir that is none or that the caller cannot look into, and as root one that another user could change.
 *
 * @throws {UsageError} {PermissionError}
 */
export function assertScandir(scandir: string): void {
  const stats = looking(scandir, () => lstatIfThere(scandir));
  if (stats?.isDirectory() !== true) {
    const why = stats === undefined ? "there is no such folder" : "it is no folder";
    throw new UsageError(
      `Cannot use ${scandir} as a scandir: ${stats?.isSymbolicLink() ? "it is a link" : why}.`,
      {
        hint: "Name the folder that s6-svscan watches, itself, with --scandir DIR.",
      },
    );
  }
  assertOwnTree(scandir, userName);
  // Without the right to search it, every slot would look as if it were not there.
  looking(scandir, () => lstatIfThere(`${scandir}/.`));
}

/**
 * The names in a scandir, sorted.
 *
 * @throws {PermissionError} When the caller may not read it.
 */
export function listScandir(scandir: string): string[] {
  return looking(scandir, () => listFolder(scandir));
}

function looking<T>(scandir: string, look: () => T): T {
  try {
    return look();
  } catch (cause) {
    if (!isErrno(cause, "EACCES", "EPERM")) throw cause;
    throw new PermissionError(`Cannot look into the scandir ${scandir}: permission denied.`, {
      hint: "Run it as the user the scandir belongs to.",
      cause,
    });
  }
}

/**
 * What a plan for a profile depends on.
 *
 * @throws {ProgramNotFoundError} When s6 is not installed.
 */
export function contextOf(scandir: string, definition: GatewayDefinition, profile: string): S6Context {
  const folder = profileFolderOf(volumeOf(definition), profile);
  return {
    definition,
    profile,
    service: serviceName(profile, definition),
    scandir,
    programs: findPrograms(),
    group: isRoot() ? findUser(definition.user)?.gid ?? definition.fallbackId : undefined,
    profileFolder: isFolder(folder) ? folder : undefined,
    owner: formatOwner({ ...processIdentity(), serial: nextSerial() }),
    now: new Date(),
    callerPid: process.pid,
  };
}

let serial = 0;

function nextSerial(): string {
  return (serial++).toString(36);
}

function findPrograms(): Record<S6Program, string> {
  return {
    "s6-svc": needProgram("s6-svc"),
    "s6-svscanctl": needProgram("s6-svscanctl"),
    "s6-svstat": needProgram("s6-svstat"),
    "s6-svwait": needProgram("s6-svwait"),
  };
}

function needProgram(name: S6Program): string {
  const path = findProgram(name);
  if (path !== undefined) return path;
  throw new ProgramNotFoundError(name, "It is part of s6. On Debian, install it with: apt-get install s6");
}

/** The volume at run time: by the home variable as services get it, else as the caller has it, else the home. */
export function volumeOf({ homeVariable, home }: GatewayDefinition): string {
  // The scripts take an empty variable for one that is not set, too.
  return containerEnvironment(homeVariable) ?? (process.env[homeVariable] || home);
}

/** What the operator last asked for; null when that was never recorded. */
export function readDesired(definition: GatewayDefinition, profile: string): Desired | null {
  const text = readSmallText(posix.join(profileFolderOf(volumeOf(definition), profile), DESIRED_STATE_FILE));
  return text === undefined ? null : parseDesiredState(text);
}

/** What was read of a slot, as plans want it. */
export async function slotFactsOf(slot: string, reading: SlotReading): Promise<SlotFacts> {
  const pid = (await readRecord(slot, reading))?.pid ?? null;
  return {
    log: reading.log,
    // Without a record it has only just begun.
    supervised: reading.supervised !== false && reading.record !== undefined,
    down: reading.down,
    own: reading.own,
    process: pid === null || reading.supervised === false ? undefined : runningProcess(pid),
  };
}

function runningProcess(pid: number): RunningProcess | undefined {
  const startTime = processStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** What s6-supervise says of a slot, from its record, or through s6-svstat if this s6 writes another kind of record. */
export async function readRecord(slot: string, reading: SlotReading): Promise<S6Record | undefined> {
  if (reading.record === undefined) return undefined;
  // Without s6 at hand nobody can tell which kind of record it is: the same bytes mean different things.
  const svstat = needProgram("s6-svstat");
  const layout = findProgram("s6-svlink") === undefined ? "2.10" : "2.11";
  const record = parseStatusRecord(reading.record, layout);
  if (record !== undefined) return record;
  const { exitCode, stdout } = await run([svstat, "-o", SVSTAT_FIELDS.join(","), slot], { timeoutMs: 5000 });
  return exitCode === 0 ? parseSvstat(stdout) : undefined;
}

/**
 * Plans that clear away what killed runs of the same user left in a scandir. What a living process works on is left
 * alone.
 */
export function sweepsOf(context: S6Context): Plan[] {
  return listScandir(context.scandir)
    .filter((name) => {
      const owner = ownerOfName(name);
      return owner !== undefined && !isAlive(owner) && isOwn(posix.join(context.scandir, name));
    })
    .map((name) => planSweep(context, name, isFolder(posix.join(context.scandir, name, "log"))));
}

function isOwn(path: string): boolean {
  return lstatIfThere(path)?.uid === process.getuid?.();
}

/** What a slot has besides its files: the skeleton and what is in it. */
const NO_FILES: readonly string[] = ["data", "event", "log", "supervise"];

/** Whether a slot is one whose registration, with the same files, was killed after it was published. */
export function isHalfRegistered(scandir: string, service: string, files: readonly RenderedFile[]): boolean {
  const owner = parseOwner(readSmallText(posix.join(scandir, service, REGISTERING)) ?? "");
  if (owner === undefined || isAlive(owner)) return false;
  const wanted = new Set(files.map(({ path }) => path));
  return files.every(({ path, text }) => readSmallText(posix.join(scandir, path)) === text) &&
    listFolder(posix.join(scandir, service)).every((name) =>
      NO_FILES.includes(name) || wanted.has(`${service}/${name}`)
    );
}

/** Whether a slot was taken out by another run than the one with this plan: it is not where either would have it. */
export function isTakenOutByAnother({ steps }: Plan): boolean {
  return steps.some((step) =>
    step.do === "rename" && lstatIfThere(step.from) === undefined && lstatIfThere(step.to) === undefined
  );
}

/** The failure of a program of s6; one of permission when that is why. 111 is s6's code for any failed system call. */
export function orPermission(scandir: string, error: S6CommandError): S6CommandError | PermissionError {
  const reading = readSlot(posix.join(scandir, error.service));
  if (error.commandExitCode !== 111 || reading?.supervised !== undefined) return error;
  return new PermissionError(error.message, {
    hint: "Run it as root, as the user the scandir belongs to, or as a member of its group.",
    cause: error,
  });
}

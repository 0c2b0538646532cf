/** What verbs on a scandir are planned from. Reads only. */
import { posix } from "node:path";
import process from "node:process";
import { PermissionError, ProgramNotFoundError, type S6CommandError, UsageError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { GATEWAY_STATE_FILE } from "../gateway/desired_state.ts";
import { serviceName } from "../gateway/profile.ts";
import {
  findProgram,
  findUser,
  isAlive,
  processIdentity,
  processStartTime,
  userName,
} from "../host/facts.ts";
import {
  assertOwnTree,
  hasReader,
  isErrno,
  isFolder,
  isRoot,
  listFolder,
  lstatIfThere,
  readSmallFile,
  readSmallText,
} from "../host/files.ts";
import { run } from "../host/run.ts";
import { readSlot, type SlotReading } from "../host/slots.ts";
import type { Plan, RenderedFile } from "../manager.ts";
import { ENV_FOLDER } from "./envdir.ts";
import { formatOwner, ownerOfName, parseOwner } from "./names.ts";
import { planSweep } from "./plan.ts";
import { REGISTERING, type RunningProcess, type S6Context, type S6Program, type SlotFacts } from "./steps.ts";
import { parseStatusRecord, parseSvstat, type S6Record, SVSTAT_FIELDS } from "./status.ts";
import { profileFolder } from "./volume.ts";

/**
 * Refuses a scandir that is none or that the caller cannot look into, and as root one that another user could change.
 *
 * @param allowUnsafe Whether root may use it all the same.
 * @throws {UsageError} {PermissionError}
 */
export function assertScandir(scandir: string, allowUnsafe: boolean = false): void {
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
  if (!allowUnsafe) assertOwnTree(scandir, userName);
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
  const folder = profileFolder(definition, profile);
  return {
    definition,
    profile,
    service: serviceName(profile, definition),
    scandir,
    programs: findPrograms(),
    group: isRoot() ? findUser(definition.user)?.gid ?? definition.fallbackId : undefined,
    profileFolder: isFolder(folder) ? folder : undefined,
    gatewayState: readSmallFile(posix.join(folder, GATEWAY_STATE_FILE)) !== undefined,
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
    // To wait for a logger that does not run would make files for that, under the hands of another sweep.
    .map((name) =>
      planSweep(context, name, hasReader(`${context.scandir}/${name}/log/supervise/control`) === true)
    );
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
  const environment = posix.join(service, ENV_FOLDER);
  const variables = files.filter(({ path }) => posix.dirname(path) === environment).length;
  const there = posix.join(scandir, environment);
  if ((isFolder(there) ? listFolder(there).length : 0) !== variables) return false;
  return files.every(({ path, text }) => readSmallText(posix.join(scandir, path)) === text) &&
    listFolder(posix.join(scandir, service)).every((name) =>
      [...NO_FILES, ENV_FOLDER].includes(name) || wanted.has(`${service}/${name}`)
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

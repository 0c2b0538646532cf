/** What verbs on a scandir are planned from. Reads only. */
import { posix } from "node:path";
import process from "node:process";
import { ProgramNotFoundError, UsageError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import { DESIRED_STATE_FILE, parseDesiredState } from "../gateway/desired_state.ts";
import { profileFolderOf, serviceName } from "../gateway/profile.ts";
import {
  containerEnvironment,
  findProgram,
  findUser,
  isAlive,
  processIdentity,
  processStartTime,
  userName,
} from "../host/facts.ts";
import { assertOwnTree, isFolder, isRoot, listFolder, readSmallText } from "../host/files.ts";
import { run } from "../host/run.ts";
import type { SlotReading } from "../host/slots.ts";
import type { Desired, Plan, RenderedFile } from "../manager.ts";
import { formatOwner, ownerOfName, parseOwner } from "./names.ts";
import { planSweep } from "./plan.ts";
import { REGISTERING, type RunningProcess, type S6Context, type S6Program, type SlotFacts } from "./steps.ts";
import { parseStatusRecord, parseSvstat, type S6Record, SVSTAT_FIELDS } from "./status.ts";

/**
 * Refuses a scandir that is not there, and as root one that another user could change.
 *
 * @throws {UsageError} {PermissionError}
 */
export function assertScandir(scandir: string): void {
  if (!isFolder(scandir)) {
    throw new UsageError(`Cannot use ${scandir} as a scandir: there is no such folder.`, {
      hint: "Name the folder that s6-svscan watches with --scandir DIR.",
    });
  }
  assertOwnTree(scandir, userName);
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
  const find = (name: S6Program): string => {
    const path = findProgram(name);
    if (path === undefined) {
      throw new ProgramNotFoundError(
        name,
        "It is part of s6. On Debian, install it with: apt-get install s6",
      );
    }
    return path;
  };
  return {
    "s6-svc": find("s6-svc"),
    "s6-svscanctl": find("s6-svscanctl"),
    "s6-svstat": find("s6-svstat"),
    "s6-svwait": find("s6-svwait"),
  };
}

/** The volume at run time: by the home variable as services get it, else as the caller has it, else the home. */
export function volumeOf({ homeVariable, home }: GatewayDefinition): string {
  return containerEnvironment(homeVariable) ?? process.env[homeVariable] ?? home;
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
    supervised: reading.supervised !== false,
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
  const layout = findProgram("s6-svlink") === undefined ? "2.10" : "2.11";
  const record = parseStatusRecord(reading.record, layout);
  if (record !== undefined) return record;
  const svstat = findProgram("s6-svstat");
  if (svstat === undefined) return undefined;
  const { exitCode, stdout } = await run([svstat, "-o", SVSTAT_FIELDS.join(","), slot], { timeoutMs: 5000 });
  return exitCode === 0 ? parseSvstat(stdout) : undefined;
}

/** Plans that clear away what killed runs left in a scandir. What a living process works on is left alone. */
export function sweepsOf(context: S6Context): Plan[] {
  return listFolder(context.scandir)
    .filter((name) => {
      const owner = ownerOfName(name);
      return owner !== undefined && !isAlive(owner);
    })
    .map((name) => planSweep(context, name, isFolder(posix.join(context.scandir, name, "log"))));
}

/** Whether a slot is one whose registration, with the same files, was killed after it was published. */
export function isHalfRegistered(scandir: string, service: string, files: readonly RenderedFile[]): boolean {
  const owner = parseOwner(readSmallText(posix.join(scandir, service, REGISTERING)) ?? "");
  if (owner === undefined || isAlive(owner)) return false;
  return files.every(({ path, text }) => readSmallText(posix.join(scandir, path)) === text);
}

/**
 * A scandir, a volume, and recording stubs in the place of s6's programs. A supervisor is played as far as the manager
 * looks at one: somebody who reads a slot's control FIFO, and its status record.
 */
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { type GatewayDefinition, HERMES } from "../../src/gateway/definition.ts";
import { readHostFacts } from "../../src/host/facts.ts";
import type { Step } from "../../src/manager.ts";
import { S6ServiceManager } from "../../src/s6/manager.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const RECORDER = fileURLToPath(new URL("../../bats/stubs/record", import.meta.url));
const RECORDS = new URL("../fixtures/s6-status/2.11.3.2.json", import.meta.url);
const STUBS = ["s6-svc", "s6-svlink", "s6-svscanctl", "s6-svstat", "s6-svwait", "s6-setuidgid"];

/** The process of a gateway that the supervisor has started, and of one that a verb had it start. Both live. */
export const PID: number = process.pid;
export const NEW_PID: number = process.ppid;

export interface Stage {
  readonly manager: S6ServiceManager;
  /** Another one, for which nobody plays the supervisor: what it asks for does not happen. */
  managerWithoutSupervisor(onStep?: (step: Step) => void): S6ServiceManager;
  readonly definition: GatewayDefinition;
  readonly scandir: string;
  readonly volume: string;
  /** The calls of s6's programs so far, a line each, with SCANDIR for the scandir. */
  calls(): string[];
  /** Everything in the scandir, dot names too. */
  entries(): string[];
  /** Makes a profile's folder on the volume. */
  addProfile(profile: string): string;
  /** Reads a file on the volume as JSON; undefined when it is not there. */
  readVolume(name: string): unknown;
  /** Makes a slot without files and plays its supervisor, in the state of that recording. */
  addSlot(profile: string, state?: string): void;
  /** Plays the supervisor of a service that is in the state of that recording. */
  supervise(service: string, state?: string): void;
  /** Has a stub exit with a code; what it prints is to be set apart. */
  answer(stub: string, exitCode: number): void;
}

/** Sets the stage for a test. */
export function setStage(): Stage {
  const folder = temporaryFolder();
  const [bin, scandir, volume, log] = ["bin", "scandir", "volume", "calls"].map((name) =>
    join(folder, name)
  ) as [string, string, string, string];
  for (const path of [bin, scandir, volume]) mkdirSync(path, { mode: 0o755 });
  for (const name of STUBS) symlinkSync(RECORDER, join(bin, name));
  writeFileSync(log, "");
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
  vi.stubEnv("STUB_LOG", log);
  vi.stubEnv("STUB_S6_SVWAIT_EXIT", "99");
  vi.stubEnv("HERMES_HOME", volume);
  onTestFinished(() => void vi.unstubAllEnvs());

  const supervisors = new Map<number, number>();
  onTestFinished(() => supervisors.forEach(closeSync));
  const definition = { ...HERMES, home: volume };
  const facts = { ...readHostFacts(), withContenv: false };
  const manager = new S6ServiceManager(
    { scandir, definition, onStep: (step) => play(step, supervisors) },
    facts,
  );
  const supervise: Stage["supervise"] = (service, state = "up") => {
    takeUp(join(scandir, service), supervisors);
    writeRecord(join(scandir, service), state);
  };
  return {
    manager,
    managerWithoutSupervisor: (onStep = () => {}) =>
      new S6ServiceManager({ scandir, definition, onStep }, facts),
    definition,
    scandir,
    volume,
    calls: () =>
      readFileSync(log, "utf8").split("\n").filter((line) => line.startsWith("s6-sv"))
        .map((line) => line.replaceAll(scandir, "SCANDIR")),
    entries: () => readdirSync(scandir).sort(),
    addProfile: (profile) => {
      const path = join(volume, "profiles", profile);
      mkdirSync(path, { recursive: true });
      return path;
    },
    readVolume: (name) => {
      const path = join(volume, name);
      return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
    },
    addSlot: (profile, state) => {
      mkdirSync(join(scandir, `gateway-${profile}`));
      supervise(`gateway-${profile}`, state);
    },
    supervise,
    answer: (stub, exitCode) => {
      vi.stubEnv(`STUB_${stub.toUpperCase().replaceAll("-", "_")}_EXIT`, String(exitCode));
    },
  };
}

/** Does what a supervisor would do about a step that is about to be taken. */
function play(step: Step, supervisors: Map<number, number>): void {
  if (step.do === "run" && step.argv[0]?.endsWith("/s6-svc")) {
    const directory = step.argv.at(-1) ?? "";
    if (step.argv.includes("-u")) writeRecord(directory, "up", NEW_PID);
    if (step.argv.includes("-d")) writeRecord(directory, "down-by-svc");
  }
  if (step.do !== "wait") return;
  const { kind, directory } = step.until;
  if (kind === "supervised") {
    takeUp(directory, supervisors);
    writeRecord(directory, "up");
  }
  if (kind === "unsupervised") letGo(directory, supervisors);
}

const controlOf = (directory: string): string => join(directory, "supervise/control");

function takeUp(directory: string, supervisors: Map<number, number>): void {
  if (!existsSync(controlOf(directory))) {
    mkdirSync(dirname(controlOf(directory)), { recursive: true });
    execFileSync("mkfifo", [controlOf(directory)]);
  }
  const { ino } = lstatSync(controlOf(directory));
  if (!supervisors.has(ino)) {
    supervisors.set(ino, openSync(controlOf(directory), constants.O_RDONLY | constants.O_NONBLOCK));
  }
}

function letGo(directory: string, supervisors: Map<number, number>): void {
  if (!existsSync(controlOf(directory))) return;
  const { ino } = lstatSync(controlOf(directory));
  const file = supervisors.get(ino);
  if (file !== undefined) closeSync(file);
  supervisors.delete(ino);
}

/** Writes a status record as a real s6-supervise wrote it, with the process that is given if the service is up. */
function writeRecord(directory: string, state: string, pid: number = PID): void {
  const { samples }: { samples: readonly { state: string; record: string }[] } = JSON.parse(
    readFileSync(RECORDS, "utf8"),
  );
  const sample = samples.find((one) => one.state === state);
  if (sample === undefined) throw new Error(`no recording of ${state}`);
  const record = Buffer.from(sample.record, "hex");
  if (state === "up") record.writeBigUInt64BE(BigInt(pid), 24);
  writeFileSync(join(directory, "supervise/status"), record);
}

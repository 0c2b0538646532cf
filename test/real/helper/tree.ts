/** A supervision tree of the tests' own, as an unprivileged user. */
import { spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { vi } from "vitest";
import { type GatewayDefinition, HERMES } from "../../../src/gateway/definition.ts";
import { hasReader, readSmallText } from "../../../src/host/files.ts";
import { type Driver, startDriver } from "./driver.ts";
import { killAllIn } from "./processes.ts";
import { makeFolderOfUser, type Runtime, type Stage } from "./stage.ts";
import { asUser, gid, uid } from "./user.ts";

/** How a driver on a tree differs from the usual one. */
export interface DriverChoice {
  readonly runtime?: Runtime;
  readonly killBeforeStep?: number;
  /** Its PATH. */
  readonly path?: string;
  readonly definition?: GatewayDefinition;
}

/** A scandir, the s6-svscan on it, and a home for the gateways. */
export interface Tree {
  readonly folder: string;
  readonly scandir: string;
  readonly home: string;
  readonly definition: GatewayDefinition;
  /** The process id of the s6-svscan, or of its tracer. */
  readonly pid: number;
  driver(choice?: DriverChoice): Driver;
  /** Makes the folder of a profile. */
  addProfile(profile: string): string;
  /** What the logger of a profile has written; empty when there is nothing. */
  log(profile: string): string;
  /** Gives the gateway of a profile a command, once it is up. */
  tell(profile: string, command: string): Promise<void>;
  /** Kills all its processes and removes all its files. */
  remove(): Promise<void>;
}

/** Waits until something does not throw any more. */
export function eventually<T>(check: () => T | Promise<T>, limitMs: number = 15_000): Promise<T> {
  return vi.waitFor(check, { timeout: limitMs, interval: 10 });
}

/**
 * Starts an s6-svscan on an empty scandir, and waits until it listens.
 *
 * @param tracer A command that runs the s6-svscan.
 */
export async function startTree(stage: Stage, tracer: readonly string[] = []): Promise<Tree> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gatewarden-tree-")));
  chownSync(folder, uid, gid);
  const [scandir, home, bin] = ["scandir", "home", "bin"].map((name) => makeFolderOfUser(join(folder, name)));
  if (scandir === undefined || home === undefined || bin === undefined) throw new Error("no folders");
  makeFolderOfUser(join(home, "profiles"));
  symlinkSync(stage.gateway, join(bin, "hermes"));
  const definition: GatewayDefinition = {
    ...HERMES,
    home,
    path: [bin],
    stop: { signal: "SIGTERM", drainSeconds: 20, graceSeconds: 10 },
  };
  const env = { PATH: process.env["PATH"], HOME: home };
  const pid = startSvscan([...tracer, "s6-svscan", scandir], folder, env);
  await eventually(() => assertReader(join(scandir, ".s6-svscan/control")));
  return {
    folder,
    scandir,
    home,
    definition,
    pid,
    driver: ({ runtime = "node", path, killBeforeStep, definition: other = definition } = {}) =>
      startDriver({
        command: stage.driver[runtime],
        folder,
        env: { ...env, ...(path === undefined ? {} : { PATH: path }) },
      }, {
        settings: { manager: "s6", scandir, definition: other },
        ...(killBeforeStep === undefined ? {} : { killBeforeStep }),
      }),
    addProfile: (profile) => makeFolderOfUser(join(home, "profiles", profile)),
    log: (profile) => readSmallText(join(home, "logs/gateways", profile, "current")) ?? "",
    tell: async (profile, command) => {
      const control = join(home, `${profile}.control`);
      await eventually(() => writeToReader(control, `${command}\n`));
    },
    remove: async () => {
      await killAllIn(folder);
      rmSync(folder, { recursive: true });
    },
  };
}

function startSvscan(command: readonly string[], folder: string, env: NodeJS.ProcessEnv): number {
  const output = openSync(join(folder, "svscan.log"), "a");
  const [program, ...parameters] = asUser(command);
  const { pid } = spawn(program, parameters, { cwd: folder, env, stdio: ["ignore", output, output] });
  closeSync(output);
  if (pid === undefined) throw new Error("s6-svscan could not be started");
  return pid;
}

/** Throws unless some process reads from a FIFO. */
export function assertReader(fifo: string): void {
  if (hasReader(fifo) !== true) throw new Error(`nobody reads ${fifo}`);
}

function writeToReader(fifo: string, text: string): void {
  const file = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  writeSync(file, text);
  closeSync(file);
}

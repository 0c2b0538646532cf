/** What to run and how. One definition is rendered for every manager. */
import { DEFAULT_EXIT_POLICY, type ExitPolicy } from "./exit_policy.ts";
import { DEFAULT_PROFILE, validateProfileName } from "./profile.ts";

/** How a gateway's output is kept. */
export interface LogSettings {
  /** The folder, below the home or absolute; `{profile}` stands for the profile. */
  readonly directory: string;
  /** How many rotated files are kept. */
  readonly files: number;
  /** The size at which a file is rotated, in bytes. */
  readonly fileBytes: number;
  /** What each line starts with: local time in ISO 8601, a TAI64N stamp, or nothing. */
  readonly timestamp: "iso" | "tai64n" | "none";
  /** Whether each line also goes to the supervisor's standard output, without a stamp. */
  readonly copyToStandardOutput: boolean;
}

/** How a gateway is stopped. */
export interface StopSettings {
  /** The signal that asks it to end. */
  readonly signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT" | "SIGUSR1" | "SIGUSR2";
  /** How long it may finish its work, in seconds. */
  readonly drainSeconds: number;
  /** How much longer it is let live, in seconds; then it is killed. */
  readonly graceSeconds: number;
}

/** What to run and how. */
export interface GatewayDefinition {
  /** What is run, for people: `hermes`. */
  readonly name: string;
  /** What a service name starts with: `gateway-`. */
  readonly servicePrefix: string;
  /** The unprivileged user the gateway runs as. */
  readonly user: string;
  /** Its user and group id where the machine does not know the user (an image rendered before the user exists). */
  readonly fallbackId: number;
  /** The home: HOME, the working directory, and the volume unless the home variable says otherwise. */
  readonly home: string;
  /** The environment variable that names the volume at run time. */
  readonly homeVariable: string;
  /** The command, program first; `{profile}` in a word stands for the profile. */
  readonly command: {
    /** For the root profile. */
    readonly default: readonly string[];
    /** For any other profile. */
    readonly named: readonly string[];
  };
  /** Environment variables of every profile. */
  readonly environment: Readonly<Record<string, string>>;
  /** Variables set to 1, by which the program knows that it is supervised. */
  readonly supervisedMarkers: readonly string[];
  /** Folders put before PATH when the program is looked up, after privileges are dropped. */
  readonly path: readonly string[];
  /** What an exit code means. */
  readonly exitPolicy: ExitPolicy;
  /** How output is kept. */
  readonly log: LogSettings;
  /** How it is stopped. */
  readonly stop: StopSettings;
  /** s6: the folder that an s6-svscan watches; by default the user's own tree, else that of s6-overlay. */
  readonly scandir?: string;
}

/** The built-in definition: the profile gateways of the Hermes agent. */
export const HERMES: GatewayDefinition = {
  name: "hermes",
  servicePrefix: "gateway-",
  user: "hermes",
  fallbackId: 10000,
  home: "/opt/data",
  homeVariable: "HERMES_HOME",
  command: {
    default: ["hermes", "gateway", "run", "--replace"],
    named: ["hermes", "-p", "{profile}", "gateway", "run", "--replace"],
  },
  environment: {},
  supervisedMarkers: ["HERMES_S6_SUPERVISED_CHILD", "HERMES_SUPERVISED_CHILD"],
  path: ["/opt/hermes/.venv/bin"],
  exitPolicy: DEFAULT_EXIT_POLICY,
  log: {
    directory: "logs/gateways/{profile}",
    files: 10,
    fileBytes: 1_000_000,
    timestamp: "iso",
    copyToStandardOutput: true,
  },
  stop: { signal: "SIGTERM", drainSeconds: 60, graceSeconds: 10 },
};

/**
 * The command of a profile, program first.
 *
 * @throws {InvalidProfileNameError} When the profile name breaks a rule.
 *
 * @example
 * ```ts
 * import { commandOf, HERMES } from "gatewarden";
 * commandOf(HERMES, "coder"); // ["hermes", "-p", "coder", "gateway", "run", "--replace"]
 * ```
 */
export function commandOf(definition: GatewayDefinition, profile: string): string[] {
  validateProfileName(profile, definition);
  const words = profile === DEFAULT_PROFILE ? definition.command.default : definition.command.named;
  return words.map((word) => word.replaceAll("{profile}", profile));
}

/** The folder of a profile's log: below the home, or absolute. */
export function logDirectoryOf(definition: GatewayDefinition, profile: string): string {
  return definition.log.directory.replaceAll("{profile}", validateProfileName(profile, definition));
}

/** From the request to stop until the gateway is killed, in milliseconds. */
export function stopBudgetMs(stop: StopSettings): number {
  return (stop.drainSeconds + stop.graceSeconds) * 1000;
}

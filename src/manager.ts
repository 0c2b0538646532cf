/** The words everyone shares. Types only. */
import type { Desired } from "./gateway/desired_state.ts";

export type { Desired };

/** A service manager that Gatewarden knows. */
export type ServiceManagerKind = "s6" | "systemd" | "launchd" | "windows";

/** What a machine is, as far as deciding and rendering depend on it. Read once, by `host/facts.ts`. */
export interface HostFacts {
  /** Node's name of the operating system: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** The name of process 1 (`/proc/1/comm`); undefined where it cannot be read. */
  readonly pid1: string | undefined;
  /** Whether `/run/s6/basedir` is a folder. */
  readonly s6Basedir: boolean;
  /** Whether `/command/with-contenv` is there: s6-overlay's way to run a script with the container's environment. */
  readonly withContenv: boolean;
  /** Whether `/run/systemd/system` is a folder. */
  readonly systemdBooted: boolean;
  /** Whether a `systemctl` is on PATH. */
  readonly systemctl: boolean;
}

/** The answer to "which manager?", with the reason. */
export interface Detection {
  /** The manager, or `none`. */
  readonly kind: ServiceManagerKind | "none";
  /** Why, in a sentence. */
  readonly reason: string;
  /** Each manager that was considered, in order, and what spoke for or against it. */
  readonly considered: readonly {
    readonly kind: ServiceManagerKind;
    readonly found: boolean;
    readonly reason: string;
  }[];
  /** s6: the scandir that is used where none is named, and why; there when it counts. */
  readonly scandir?: { readonly path: string; readonly reason: string };
}

/** A file as it is rendered, at its path relative to where the manager wants it. */
export interface RenderedFile {
  /** Relative, with `/`: `gateway-coder/log/run`. */
  readonly path: string;
  /** Permission bits: 0o755 for a script. */
  readonly mode: number;
  /** The whole text. */
  readonly text: string;
}

/** Something a plan waits for. */
export type Condition =
  /** An s6-supervise runs on this service directory. */
  | { readonly kind: "supervised"; readonly directory: string }
  /** No s6-supervise runs on this service directory. */
  | { readonly kind: "unsupervised"; readonly directory: string }
  /** The service is up, or down, by s6-svstat: for a caller who may not listen to its events. */
  | { readonly kind: "up" | "down"; readonly directory: string; readonly svstat: string };

/** What an exit code of a program means when it is no success. */
export type Failure =
  /** Its own time limit ran out. */
  | { readonly is: "timeout"; readonly limitMs: number; readonly stillThere: string }
  /** The gateway did not do as asked. */
  | { readonly is: "gateway"; readonly why: string }
  /** The program could not do it; `hint` says what to do. */
  | { readonly is: "command"; readonly hint: string };

/** What one step does. */
export type Action =
  /** Runs a program and waits for it. */
  | {
    readonly do: "run";
    readonly argv: readonly string[];
    /** It is killed after this many milliseconds. */
    readonly timeoutMs: number;
    /** Exit codes that mean success; by default only 0. */
    readonly okCodes?: readonly number[];
    /** What other exit codes mean. */
    readonly failures?: Readonly<Record<number, Failure>>;
  }
  /** Makes a folder; it must not be there. `owner` and `group` are ids, by default the caller's. */
  | {
    readonly do: "mkdir";
    readonly path: string;
    readonly mode: number;
    readonly owner?: number;
    readonly group?: number;
  }
  /** Writes a new file; nothing may be there. */
  | { readonly do: "write"; readonly path: string; readonly mode: number; readonly text: string }
  /** Replaces a file at once, as the given user when called by root. Its folder must be there, reached through no link. */
  | { readonly do: "replace"; readonly path: string; readonly text: string; readonly as: string }
  /**
   * Sets fields of the JSON object in a file, as the given user when called by root. All else in it stays. A file that
   * is missing, is larger than 64 KiB or holds no JSON object is left alone.
   */
  | {
    readonly do: "update";
    readonly path: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly as: string;
  }
  /** Makes a FIFO; nothing may be there. */
  | { readonly do: "fifo"; readonly path: string; readonly mode: number; readonly group?: number }
  /** Renames; what is at `to` must not be there. */
  | { readonly do: "rename"; readonly from: string; readonly to: string }
  /** Removes a file or a folder with all that is in it, through no link. Absent is fine. */
  | { readonly do: "remove"; readonly path: string }
  /** Waits until something is so. */
  | { readonly do: "wait"; readonly until: Condition; readonly timeoutMs: number };

/** One step of taking something back. Unless it is best effort, what comes after it is left when it fails. */
export type UndoStep = Action & { readonly bestEffort?: boolean };

/** One step of a plan: an action, and what takes it back. */
export type Step = Action & {
  /** Taken in this order when a later step fails; the steps of a plan are taken back last first. */
  readonly undo?: readonly UndoStep[];
  /** Whether the plan goes on when the step fails; the failure is then a warning. */
  readonly bestEffort?: boolean;
};

/** The verbs that act. */
export type Verb = "register" | "unregister" | "start" | "stop" | "restart";

/** What a verb would do, as data. `render` is the one that writes files and needs no manager. */
export interface Plan {
  /** What it is for. */
  readonly verb: Verb | "render" | "tree install" | "tree uninstall";
  /** The profile it is about. */
  readonly profile: string;
  /** The service of that profile. */
  readonly service: string;
  /** What killed runs left behind: each is cleared away first, by itself, and a failure there is a warning. */
  readonly leftovers?: readonly Plan[];
  /** What is done, in this order. */
  readonly steps: readonly Step[];
}

/** What a service is doing. */
export type State =
  | "running"
  | "starting"
  | "stopping"
  | "backoff"
  | "stopped"
  | "parked"
  | "failed"
  | "unregistered"
  | "unknown";

/** One service as its manager reports it. What a manager does not report is null. */
export interface Status {
  /** The manager that reports it. */
  readonly manager: ServiceManagerKind;
  /** Whether it is the machine's or the user's own. */
  readonly scope: "system" | "user";
  /** The profile. */
  readonly profile: string;
  /** The service of that profile. */
  readonly service: string;
  /** What it is doing. */
  readonly state: State;
  /** Its process, while there is one. */
  readonly pid: number | null;
  /** When it came up or went down: ISO 8601 in UTC. */
  readonly since: string | null;
  /** For how long it is up. */
  readonly uptimeSeconds: number | null;
  /** What the operator last asked for. */
  readonly desired: Desired | null;
  /** Whether the manager starts it by itself. */
  readonly enabled: boolean | null;
  /** Whether the manager wants it up now. */
  readonly wantUp: boolean | null;
  /** Whether it said that it is ready. */
  readonly ready: boolean | null;
  /** How its last process ended; null while it runs, and when a signal killed it. */
  readonly exitCode: number | null;
  /** The signal that killed its last process: `SIGKILL`. */
  readonly signal: string | null;
  /** How often it was started again. */
  readonly restarts: number | null;
  /** Why it is parked: "exit code 78: configuration error (EX_CONFIG)". */
  readonly parkedReason: string | null;
  /** The folder of its log. */
  readonly log: string | null;
  /** Whether a supervisor runs for it. */
  readonly supervised: boolean;
}

/** How a verb is carried out. */
export interface VerbOptions {
  /** Whether to wait until it is so; by default true. */
  readonly wait?: boolean;
  /** The time limit in milliseconds; by default the definition's stop budget, or 10 s where nothing has to stop. */
  readonly timeoutMs?: number;
}

/** How a gateway is registered. */
export interface RegisterOptions extends VerbOptions {
  /** Environment variables of this profile, over those of the definition. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Likewise, for values that no script, argument or output may show; `extraEnv` wins. */
  readonly secretEnv?: Readonly<Record<string, string>>;
  /** Whether it starts now; by default true. */
  readonly startNow?: boolean;
}

/** What a verb came to. */
export interface Outcome {
  /** What could not be done although the verb succeeded, as sentences. */
  readonly warnings: readonly string[];
}

/** What every manager can do. */
export interface ServiceManager {
  /** Which manager this is. */
  readonly kind: ServiceManagerKind;
  /** Starts a gateway that is down, parked or stopped, and waits until it is up. */
  start(profile: string, options?: VerbOptions): Promise<Outcome>;
  /** Stops a gateway and waits until it is down. */
  stop(profile: string, options?: VerbOptions): Promise<Outcome>;
  /** Stops and starts a gateway, and waits until a new process is up. */
  restart(profile: string, options?: VerbOptions): Promise<Outcome>;
  /** Whether the gateway's process runs. False when it is not registered. */
  isRunning(profile: string): Promise<boolean>;
  /** What the gateway is doing. */
  status(profile: string): Promise<Status>;
  /** Whether profiles can be registered while the manager runs. */
  supportsRuntimeRegistration(): boolean;
  /** Gives a profile a service. */
  registerProfileGateway(profile: string, options?: RegisterOptions): Promise<Outcome>;
  /** Takes the service of a profile away. One that is absent is fine. */
  unregisterProfileGateway(profile: string, options?: VerbOptions): Promise<Outcome>;
  /** The registered profiles, sorted. */
  listProfileGateways(): Promise<string[]>;
  /** The steps a verb would take now. */
  plan(verb: Verb, profile: string, options?: RegisterOptions): Promise<Plan>;
  /** The files of a profile, at their paths relative to where the manager wants them. */
  render(profile: string, options?: RegisterOptions): RenderedFile[];
  /** The folder of a profile's log; undefined where the manager keeps the log itself. */
  logDirectory(profile: string): Promise<string | undefined>;
}

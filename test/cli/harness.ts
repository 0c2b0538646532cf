/** The command line on a manager and streams of its own. */
import type { Host } from "../../src/cli/call.ts";
import { main } from "../../src/cli/main.ts";
import type { Variable } from "../../src/cli/settings.ts";
import { GatewayNotRegisteredError } from "../../src/errors.ts";
import type {
  Outcome,
  Plan,
  RegisterOptions,
  ServiceManager,
  ServiceManagerKind,
  Status,
  Verb,
  VerbOptions,
} from "../../src/manager.ts";
import type { Settings } from "../../src/registry.ts";

/** A status with nothing in it. */
export function statusOf(profile: string, change: Partial<Status> = {}): Status {
  return {
    manager: "s6",
    scope: "system",
    profile,
    service: `gateway-${profile}`,
    state: "stopped",
    pid: null,
    since: null,
    uptimeSeconds: null,
    desired: null,
    enabled: null,
    wantUp: null,
    ready: null,
    exitCode: null,
    signal: null,
    restarts: null,
    parkedReason: null,
    log: null,
    supervised: true,
    ...change,
  };
}

type Act = (profile: string, options: RegisterOptions) => Outcome | Promise<Outcome>;

/** A manager of the given profiles that notes what it is asked for and does nothing. */
export class FakeManager implements ServiceManager {
  readonly kind: ServiceManagerKind = "s6";
  /** Every verb it carried out: `start coder {"wait":false}`. */
  readonly calls: string[] = [];
  readonly profiles: readonly string[];
  /** What a verb comes to, instead of success for the registered. */
  act: Act | undefined;
  readonly statuses: Map<string, Status> = new Map<string, Status>();

  constructor(...profiles: string[]) {
    this.profiles = profiles;
  }

  async #carryOut(verb: Verb, profile: string, options: RegisterOptions = {}): Promise<Outcome> {
    this.calls.push(`${verb} ${profile} ${JSON.stringify(options)}`);
    if (this.act !== undefined) return await this.act(profile, options);
    this.#assertRegistered(verb, profile);
    return { warnings: [] };
  }

  #assertRegistered(verb: Verb, profile: string): void {
    if (verb === "register" || verb === "unregister" || this.profiles.includes(profile)) return;
    throw new GatewayNotRegisteredError(verb, profile, "Register it.");
  }

  start(profile: string, options?: VerbOptions): Promise<Outcome> {
    return this.#carryOut("start", profile, options);
  }

  stop(profile: string, options?: VerbOptions): Promise<Outcome> {
    return this.#carryOut("stop", profile, options);
  }

  restart(profile: string, options?: VerbOptions): Promise<Outcome> {
    return this.#carryOut("restart", profile, options);
  }

  registerProfileGateway(profile: string, options?: RegisterOptions): Promise<Outcome> {
    return this.#carryOut("register", profile, options);
  }

  unregisterProfileGateway(profile: string, options?: VerbOptions): Promise<Outcome> {
    return this.#carryOut("unregister", profile, options);
  }

  isRunning(profile: string): Promise<boolean> {
    return this.status(profile).then(({ state }) => state === "running");
  }

  status(profile: string): Promise<Status> {
    const state = this.profiles.includes(profile) ? "stopped" : "unregistered";
    return Promise.resolve(this.statuses.get(profile) ?? statusOf(profile, { state }));
  }

  supportsRuntimeRegistration(): boolean {
    return true;
  }

  listProfileGateways(): Promise<string[]> {
    return Promise.resolve([...this.profiles]);
  }

  async plan(verb: Verb, profile: string): Promise<Plan> {
    await Promise.resolve();
    this.#assertRegistered(verb, profile);
    const service = `gateway-${profile}`;
    return { verb, profile, service, steps: [{ do: "remove", path: `/run/service/${service}` }] };
  }

  render(profile: string): [{ path: string; mode: number; text: string }] {
    return [{ path: `gateway-${profile}/run`, mode: 0o755, text: "#!/bin/sh\n" }];
  }

  logDirectory(profile: string): Promise<string> {
    return Promise.resolve(`/nowhere/${profile}`);
  }
}

/** What a call came to. */
export interface CallResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the manager was asked with. */
  readonly settings: Settings | undefined;
  /** As whom the command line was run again. It exits with 42 then. */
  readonly again: readonly [user: string, home: string][];
}

/** Runs the command line. */
export async function gatewarden(
  manager: ServiceManager,
  argv: readonly string[],
  environment: Partial<Record<Variable, string>> = {},
  owner?: string,
): Promise<CallResult> {
  const written = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof written) => ({
    write: (chunk: string | Uint8Array): void => {
      written[name] += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    },
  });
  let asked: Settings | undefined;
  const again: [user: string, home: string][] = [];
  const host: Host = {
    streams: { stdout: stream("stdout"), stderr: stream("stderr") },
    environment: (name) => environment[name],
    getServiceManager: (settings) => {
      asked = settings;
      return Promise.resolve(manager);
    },
    ownerToBecome: () => Promise.resolve(owner),
    runAgainAs: (user, home) => Promise.resolve(again.push([user, home]) && 42),
  };
  const exitCode = await main(argv, host);
  return { exitCode, ...written, settings: asked, again };
}

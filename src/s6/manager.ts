/** The ServiceManager on an s6 scandir. */
import { posix } from "node:path";
import {
  FileError,
  GatewayAlreadyRegisteredError,
  GatewayFailedError,
  GatewayNotRegisteredError,
  PermissionError,
  S6CommandError,
} from "../errors.ts";
import { type GatewayDefinition, HERMES, logDirectoryOf } from "../gateway/definition.ts";
import { profileFolderOf, profileOfService, serviceName } from "../gateway/profile.ts";
import { execute } from "../host/execute.ts";
import { readHostFacts, userName } from "../host/facts.ts";
import { isErrno, isFolder, lstatIfThere } from "../host/files.ts";
import { assertOwnSlot, readSlot } from "../host/slots.ts";
import type {
  HostFacts,
  Outcome,
  Plan,
  RegisterOptions,
  RenderedFile,
  ServiceManager,
  Status,
  Step,
  Verb,
  VerbOptions,
} from "../manager.ts";
import { chooseScandir } from "./choose_scandir.ts";
import {
  planFinishRegistration,
  planRegister,
  planRestart,
  planStart,
  planStop,
  planUnregister,
} from "./plan.ts";
import { explainFailure, howToRegister, notDone } from "./explain.ts";
import { renderSlot } from "./render.ts";
import {
  assertScandir,
  contextOf,
  isHalfRegistered,
  isTakenOutByAnother,
  listScandir,
  orPermission,
  readRecord,
  slotFactsOf,
  sweepsOf,
} from "./scandir.ts";
import type { S6Context } from "./steps.ts";
import { statusOf } from "./status.ts";
import { readDesired, volumeOf } from "./volume.ts";

export { DEFAULT_SCANDIR } from "./choose_scandir.ts";

/** What an S6ServiceManager works on. */
export interface S6Settings {
  /** The folder an s6-svscan watches; by default the service user's own tree when there is one, else `/run/service`. */
  readonly scandir?: string;
  /** Whether root may use a scandir or slot that others can change: it lets them become root. By default false. */
  readonly allowUnsafeScandir?: boolean;
  /** What to run; by default the Hermes agent's gateways. */
  readonly definition?: GatewayDefinition;
  /** Called before each step of a verb. */
  readonly onStep?: (step: Step) => void;
}

/**
 * Runs gateways as slots of an s6 scandir.
 *
 * As root it refuses a scandir that another user could change.
 *
 * @example
 * ```ts
 * import { S6ServiceManager } from "gatewarden";
 * const manager = new S6ServiceManager({ scandir: "/run/service" });
 * manager.render("coder").map((file) => file.path); // "gateway-coder/run" and others
 * ```
 */
export class S6ServiceManager implements ServiceManager {
  /** `s6` */
  readonly kind = "s6";
  readonly #settings: S6Settings;
  readonly #definition: GatewayDefinition;
  readonly #facts: HostFacts;
  readonly #onStep: ((step: Step) => void) | undefined;

  /**
   * Makes a manager; nothing is looked at before it is used.
   *
   * @param settings What to work on.
   * @param facts What the machine is; by default they are read.
   */
  constructor(settings: S6Settings = {}, facts: HostFacts = readHostFacts()) {
    this.#definition = settings.definition ?? HERMES;
    this.#settings = settings;
    this.#facts = facts;
    this.#onStep = settings.onStep;
  }

  /** Looked up when it is needed: to render, a runtime may give no leave to look. */
  get #scandir(): string {
    return posix.resolve(this.#settings.scandir ?? chooseScandir(this.#definition).path);
  }

  /** True: a slot can be added while s6-svscan runs. */
  supportsRuntimeRegistration(): boolean {
    return true;
  }

  /** The slot's files, at paths below the scandir. */
  render(profile: string, { extraEnv, secretEnv, startNow }: RegisterOptions = {}): RenderedFile[] {
    return renderSlot(this.#definition, profile, {
      interpreter: this.#facts.withContenv ? "with-contenv" : "sh",
      ...(extraEnv === undefined ? {} : { extraEnv }),
      ...(secretEnv === undefined ? {} : { secretEnv }),
      ...(startNow === undefined ? {} : { startNow }),
    });
  }

  /** Starts a gateway that is down, parked or stopped. */
  async start(profile: string, options: VerbOptions = {}): Promise<Outcome> {
    return await this.#carryOut("start", profile, options, ({ pid }) => pid !== null);
  }

  /** Stops a gateway; it stays down. */
  async stop(profile: string, options: VerbOptions = {}): Promise<Outcome> {
    return await this.#carryOut("stop", profile, options, ({ pid }) => pid === null);
  }

  /** Stops and starts a gateway. */
  async restart(profile: string, options: VerbOptions = {}): Promise<Outcome> {
    const before = (await this.status(profile)).pid;
    return await this.#carryOut("restart", profile, options, ({ pid }) => pid !== null && pid !== before);
  }

  /** Whether the gateway's process runs. */
  async isRunning(profile: string): Promise<boolean> {
    return (await this.status(profile)).pid !== null;
  }

  /** What the gateway is doing. */
  async status(profile: string): Promise<Status> {
    const service = serviceName(profile, this.#definition);
    const slot = this.#assertedSlot(service);
    const reading = readSlot(slot);
    return statusOf({
      profile,
      service,
      scope: lstatIfThere(this.#scandir)?.uid === 0 ? "system" : "user",
      exitPolicy: this.#definition.exitPolicy,
      registered: reading !== undefined,
      supervised: reading !== undefined && reading.supervised !== false,
      record: reading === undefined ? undefined : await readRecord(slot, reading),
      normallyUp: reading?.down === false,
      desired: readDesired(this.#definition, profile),
      log: this.#logDirectory(profile),
      now: new Date(),
    });
  }

  /** Gives a profile a slot and waits until it is supervised. Of two callers at once, exactly one succeeds. */
  async registerProfileGateway(profile: string, options: RegisterOptions = {}): Promise<Outcome> {
    const plan = await this.plan("register", profile, options);
    try {
      return await execute(plan, this.#onStep);
    } catch (error) {
      const taken = error instanceof FileError && isErrno(error.cause, "ENOTEMPTY", "EEXIST");
      if (!taken) throw error;
      throw new GatewayAlreadyRegisteredError(profile, posix.join(this.#scandir, plan.service), error);
    }
  }

  /** Takes the slot of a profile away. Resolves when no process and no file of it is left. */
  async unregisterProfileGateway(profile: string, options: VerbOptions = {}): Promise<Outcome> {
    const plan = await this.plan("unregister", profile, options);
    try {
      return await execute(plan, this.#onStep);
    } catch (error) {
      if (!isTakenOutByAnother(plan)) throw error;
      return { warnings: [] };
    }
  }

  /** The profiles with a slot, sorted. */
  listProfileGateways(): Promise<string[]> {
    return Promise.resolve().then(() => {
      assertScandir(this.#scandir, this.#settings.allowUnsafeScandir);
      return listScandir(this.#scandir)
        .filter((name) => isFolder(posix.join(this.#scandir, name)))
        .map((name) => profileOfService(name, this.#definition))
        .filter((profile) => profile !== undefined);
    });
  }

  /** The folder s6-log writes to. */
  logDirectory(profile: string): Promise<string> {
    return Promise.resolve().then(() => this.#logDirectory(profile));
  }

  /** The steps a verb would take now. */
  async plan(verb: Verb, profile: string, options: RegisterOptions = {}): Promise<Plan> {
    const service = serviceName(profile, this.#definition);
    const slot = this.#assertedSlot(service);
    const reading = readSlot(slot);
    if (verb === "register" || verb === "unregister") {
      const context = contextOf(this.#scandir, this.#definition, profile);
      if (verb === "unregister" && reading?.own === false) {
        throw new PermissionError(`Cannot unregister "${profile}": ${slot} belongs to another user.`, {
          hint: "Run it as the user the scandir belongs to.",
        });
      }
      const plan = verb === "register"
        ? this.#planRegister(context, options)
        : reading === undefined
        ? { verb, profile, service, steps: [] }
        : planUnregister(context, await slotFactsOf(slot, reading), options);
      return { ...plan, leftovers: sweepsOf(context) };
    }
    if (reading === undefined) throw this.#notRegistered(verb, profile);
    const planVerb = { start: planStart, stop: planStop, restart: planRestart }[verb];
    const context = contextOf(this.#scandir, this.#definition, profile);
    return planVerb(context, await slotFactsOf(slot, reading), options);
  }

  /** The path of a slot that this caller may work on, or that is not there. */
  #assertedSlot(service: string): string {
    const { allowUnsafeScandir = false } = this.#settings;
    assertScandir(this.#scandir, allowUnsafeScandir);
    const slot = posix.join(this.#scandir, service);
    if (!allowUnsafeScandir) assertOwnSlot(slot, userName);
    return slot;
  }

  #planRegister(context: S6Context, options: RegisterOptions): Plan {
    const { profile, service } = context;
    const files = this.render(profile, options);
    const startNow = options.startNow ?? true;
    const slot = posix.join(this.#scandir, service);
    if (lstatIfThere(slot) === undefined) return planRegister(context, files, startNow);
    if (!isFolder(slot)) {
      throw new FileError(`Cannot register "${profile}": ${slot} is there and is no folder.`, {
        hint: "If nothing needs it, remove it, then try again.",
      });
    }
    if (isHalfRegistered(this.#scandir, service, files)) return planFinishRegistration(context, startNow);
    throw new GatewayAlreadyRegisteredError(profile, slot);
  }

  async #carryOut(
    verb: "start" | "stop" | "restart",
    profile: string,
    options: VerbOptions,
    isDone: (status: Status) => boolean,
  ): Promise<Outcome> {
    try {
      const outcome = await execute(await this.plan(verb, profile, options), this.#onStep);
      const status = await this.status(profile);
      if (options.wait === false || isDone(status)) return outcome;
      throw new GatewayFailedError(`Cannot ${verb} ${status.service}: ${notDone(verb, status)}.`);
    } catch (error) {
      if (error instanceof S6CommandError) throw orPermission(this.#scandir, error);
      if (!(error instanceof GatewayFailedError)) throw error;
      throw explainFailure(error, profile, await this.status(profile));
    }
  }

  #notRegistered(verb: Verb, profile: string): GatewayNotRegisteredError {
    const folder = profileFolderOf(volumeOf(this.#definition), profile);
    return new GatewayNotRegisteredError(verb, profile, howToRegister(profile, folder, isFolder(folder)));
  }

  #logDirectory(profile: string): string {
    return posix.resolve(volumeOf(this.#definition), logDirectoryOf(this.#definition, profile));
  }
}

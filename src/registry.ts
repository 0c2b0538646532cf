/** Kind -> manager, a line each. */
import { detect } from "./detect.ts";
import { NoServiceManagerError, UnsupportedError, UsageError } from "./errors.ts";
import { type GatewayDefinition, HERMES } from "./gateway/definition.ts";
import { readHostFacts } from "./host/facts.ts";
import type { Detection, HostFacts, ServiceManager, ServiceManagerKind, Step } from "./manager.ts";

/** What may be chosen instead of found out or built in. */
export interface Settings {
  /** The manager; by default the one this machine runs. */
  readonly manager?: ServiceManagerKind;
  /** s6: the scandir; by default `/run/service`. */
  readonly scandir?: string;
  /** What to run; by default the Hermes agent's gateways. */
  readonly definition?: GatewayDefinition;
  /** What the machine is; by default this one is looked at. Other facts render for another machine. */
  readonly facts?: HostFacts;
  /** Called before each step of a verb. */
  readonly onStep?: (step: Step) => void;
}

type Maker = (settings: Settings, facts: HostFacts) => Promise<ServiceManager>;

const MANAGERS: Readonly<Record<ServiceManagerKind, Maker>> = {
  s6: async (settings, facts) => new (await import("./s6/manager.ts")).S6ServiceManager(settings, facts),
  systemd: notYet("systemd"),
  launchd: notYet("launchd"),
  windows: notYet("the Windows Task Scheduler"),
};

function notYet(manager: string): Maker {
  return () =>
    Promise.reject(
      new UnsupportedError(
        `Cannot manage gateways through ${manager}: this version of Gatewarden knows only s6.`,
        {
          hint: "To use an s6 of your own, start s6-svscan on a folder and pass --manager s6 --scandir DIR.",
        },
      ),
    );
}

/**
 * Tells which manager this machine runs, and why. Works as any user.
 *
 * @example
 * ```ts
 * import { detectServiceManager } from "gatewarden";
 * const { kind, reason } = await detectServiceManager();
 * console.log(`${kind}: ${reason}`);
 * ```
 */
export async function detectServiceManager(): Promise<Detection> {
  return detect(await readHostFacts());
}

/**
 * The manager to use: the one that is asked for, else the one this machine runs.
 *
 * @param settings What is chosen instead of found out.
 * @throws {NoServiceManagerError} When none is usable. The message says what was found, the hint what can be done.
 * @throws {UnsupportedError} When Gatewarden cannot manage through it yet.
 * @throws {UsageError} When it is asked for one that there is not.
 *
 * @example
 * ```ts
 * import { getServiceManager } from "gatewarden";
 * const manager = await getServiceManager({ manager: "s6", scandir: "/run/service" });
 * manager.kind; // "s6"
 * ```
 */
export async function getServiceManager(settings: Settings = {}): Promise<ServiceManager> {
  const facts = settings.facts ?? readHostFacts();
  const detection = detect(facts);
  const kind = settings.manager ?? (detection.kind === "none" ? await ownTree(settings) : detection.kind);
  if (kind === "none") {
    throw new NoServiceManagerError(`Cannot find a service manager on this machine: ${detection.reason}.`, {
      hint:
        "Name one with --manager, for an s6 of your own with --scandir DIR; or see it work with: gatewarden demo",
    });
  }
  if (!Object.hasOwn(MANAGERS, kind)) {
    const known = Object.keys(MANAGERS).join(", ");
    throw new UsageError(`Cannot use ${JSON.stringify(kind)} as a manager: it is none of ${known}.`);
  }
  return await MANAGERS[kind](settings, facts);
}

/** A tree of one's own runs without s6 being the machine's manager. */
async function ownTree({ definition = HERMES }: Settings): Promise<"s6" | "none"> {
  const { chooseScandir, DEFAULT_SCANDIR } = await import("./s6/scandir.ts");
  return chooseScandir(definition).scandir === DEFAULT_SCANDIR ? "none" : "s6";
}

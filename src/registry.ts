/** Kind -> manager, a line each. */
import { detect } from "./detect.ts";
import { NoServiceManagerError, UnsupportedError, UsageError } from "./errors.ts";
import { type GatewayDefinition, HERMES } from "./gateway/definition.ts";
import { readHostFacts } from "./host/facts.ts";
import type { Detection, HostFacts, ServiceManager, ServiceManagerKind, Step } from "./manager.ts";
import type { ScandirChoice } from "./s6/choose_scandir.ts";

/** What may be chosen instead of found out or built in. */
export interface Settings {
  /** The manager; by default the one this machine runs. */
  readonly manager?: ServiceManagerKind;
  /** s6: the scandir; by default that of the definition, of the service user's own tree, or `/run/service`. */
  readonly scandir?: string;
  /** s6: whether root may use a scandir or slot that others can change: it lets them become root. By default false. */
  readonly allowUnsafeScandir?: boolean;
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
 * Tells which manager this machine runs, and why; a tree of one's own makes it s6 where there is no other. Works as
 * any user.
 *
 * @param settings What is chosen instead of found out: it decides which scandir is told.
 *
 * @example
 * ```ts
 * import { detectServiceManager } from "gatewarden";
 * const { kind, reason } = await detectServiceManager();
 * console.log(`${kind}: ${reason}`);
 * ```
 */
export async function detectServiceManager(settings: Settings = {}): Promise<Detection> {
  const detection = detect(settings.facts ?? readHostFacts());
  const { byDefault, path, reason } = await findScandir(settings);
  const scandir = { path, reason };
  if (detection.kind === "none" && !byDefault) return ofOwnTree(detection, scandir);
  return detection.kind === "s6" || !byDefault ? { ...detection, scandir } : detection;
}

async function findScandir({ scandir, definition = HERMES }: Settings): Promise<ScandirChoice> {
  if (scandir !== undefined) return { path: scandir, reason: "it is asked for", byDefault: false };
  return (await import("./s6/choose_scandir.ts")).chooseScandir(definition);
}

/** A tree of one's own runs without s6 being the machine's manager. */
function ofOwnTree(detection: Detection, scandir: NonNullable<Detection["scandir"]>): Detection {
  const reason = `no other manager runs, and the scandir is ${scandir.path}: ${scandir.reason}`;
  const considered = detection.considered.map((one) =>
    one.kind === "s6" ? { ...one, found: true, reason } : one
  );
  return { kind: "s6", reason, considered, scandir };
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
  const detection = settings.manager === undefined
    ? await detectServiceManager({ ...settings, facts })
    : undefined;
  const kind = settings.manager ?? detection?.kind ?? "none";
  if (kind === "none") {
    throw new NoServiceManagerError(`Cannot find a service manager on this machine: ${detection?.reason}.`, {
      hint: "If an s6-svscan of your own runs, name its folder with --scandir DIR. Where s6 is installed, " +
        "one is started with: gatewarden tree run",
    });
  }
  if (!Object.hasOwn(MANAGERS, kind)) {
    const known = Object.keys(MANAGERS).join(", ");
    throw new UsageError(`Cannot use ${JSON.stringify(kind)} as a manager: it is none of ${known}.`);
  }
  return await MANAGERS[kind](settings, facts);
}

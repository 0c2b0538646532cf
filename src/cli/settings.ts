/** Flags and environment -> settings: a flag wins over a variable, and a variable over what is built in. */
import { UsageError } from "../errors.ts";
import type { GatewayDefinition } from "../gateway/definition.ts";
import type { ServiceManagerKind } from "../manager.ts";
import type { Settings } from "../registry.ts";

/** Every manager that can be named. */
export const MANAGER_KINDS: readonly ServiceManagerKind[] = ["s6", "systemd", "launchd", "windows"];

/** The variables that the command line reads. */
export type Variable =
  | "GATEWARDEN_MANAGER"
  | "GATEWARDEN_SCANDIR"
  | "GATEWARDEN_CONFIG"
  | "GATEWARDEN_DEBUG"
  | "NO_COLOR";

/** Reads a variable; an empty one counts as not set. */
export type Environment = (name: Variable) => string | undefined;

/** The flags that choose what is managed, and where. */
export interface TargetFlags {
  readonly manager?: ServiceManagerKind;
  readonly scandir?: string;
  readonly allowUnsafeScandir?: boolean;
  readonly config?: string;
}

/**
 * The settings of a call. A scandir is a thing of s6, so one that is given chooses s6.
 *
 * @param loadDefinition Reads a definition file; called only when there is one.
 * @throws {UsageError} When a variable holds no manager, or a scandir is given for another manager than s6.
 */
export async function settingsOf(
  flags: TargetFlags,
  environment: Environment,
  loadDefinition: (path: string) => Promise<GatewayDefinition>,
): Promise<Settings> {
  const named = flags.manager ?? managerOf(environment("GATEWARDEN_MANAGER"));
  if (flags.scandir !== undefined && named !== undefined && named !== "s6") {
    throw new UsageError(`Cannot use --scandir with ${named}: only s6 has a scandir.`, {
      hint: "Leave out --scandir, or pass --manager s6.",
    });
  }
  const scandir = flags.scandir ?? environment("GATEWARDEN_SCANDIR");
  const manager = named ?? (scandir === undefined ? undefined : "s6");
  const config = flags.config ?? environment("GATEWARDEN_CONFIG");
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(scandir === undefined || manager !== "s6" ? {} : { scandir }),
    ...(flags.allowUnsafeScandir === true ? { allowUnsafeScandir: true } : {}),
    ...(config === undefined ? {} : { definition: await loadDefinition(config) }),
  };
}

function managerOf(value: string | undefined): ServiceManagerKind | undefined {
  if (value === undefined) return undefined;
  const kind = MANAGER_KINDS.find((one) => one === value);
  if (kind === undefined) {
    throw new UsageError(
      `Cannot use GATEWARDEN_MANAGER=${JSON.stringify(value)}: it is none of ${MANAGER_KINDS.join(", ")}.`,
      { hint: "Set it to one of these, or unset it." },
    );
  }
  return kind;
}

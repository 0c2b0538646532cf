/** What the operator last asked for, as it is kept in the profile's folder. */

import { hasKey } from "./json_value.ts";

/** What the operator last asked for. */
export type Desired = "running" | "stopped";

/** A file by its name in the profile's folder. */
export interface StateFile {
  readonly name: string;
  readonly text: string;
}

/** Gatewarden's own file: the truth about intent. */
export const DESIRED_STATE_FILE = ".gatewarden.json";

/** The file that Hermes keeps, and older installs kept the desired state in. Its writer is Hermes. */
export const GATEWAY_STATE_FILE = "gateway_state.json";

/** The file that announces an operator's stop. */
export const PLANNED_STOP_FILE = ".gateway-planned-stop.json";

/**
 * The desired state as a file.
 *
 * @param by The verb that changed it.
 */
export function desiredStateFile(desired: Desired, by: string, now: Date): StateFile {
  return { name: DESIRED_STATE_FILE, text: `${JSON.stringify({ desired, since: now.toISOString(), by })}\n` };
}

/** The files that say what is desired, as they were read; undefined where there is none. */
export interface DesiredStateTexts {
  /** Gatewarden's own. */
  readonly own?: string | undefined;
  /** That of Hermes. */
  readonly gatewayState?: string | undefined;
}

/**
 * What is desired. Gatewarden's own file wins. Without one, or with one that says nothing, it is `desired_state` of the
 * file of Hermes; without that its `gateway_state`, which is what was true when Hermes last wrote: draining and degraded
 * are ways to run. Null when nothing of it says anything.
 */
export function readDesiredState({ own, gatewayState }: DesiredStateTexts): Desired | null {
  const ours = fieldOf(own, "desired");
  if (isDesired(ours)) return ours;
  const theirs = fieldOf(gatewayState, "desired_state");
  if (isDesired(theirs)) return theirs;
  const was = fieldOf(gatewayState, "gateway_state");
  if (isDesired(was)) return was;
  return was === "draining" || was === "degraded" ? "running" : null;
}

/** The fields by which Hermes, and older installs, know what is desired. */
export function gatewayStateFields(desired: Desired): Readonly<Record<string, string>> {
  return { desired_state: desired };
}

function isDesired(value: unknown): value is Desired {
  return value === "running" || value === "stopped";
}

function fieldOf(text: string | undefined, name: string): unknown {
  if (text === undefined) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return !Array.isArray(document) && hasKey(document, name) ? document[name] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The planned-stop marker: by it the gateway knows an operator's stop of this process from that of a container.
 *
 * @param target The process that will be stopped; `startTime` is field 22 of /proc/PID/stat.
 * @param stopperPid The process that stops it.
 */
export function plannedStopMarker(
  target: { readonly pid: number; readonly startTime: number },
  stopperPid: number,
  now: Date,
): StateFile {
  const marker = {
    target_pid: target.pid,
    target_start_time: target.startTime,
    stopper_pid: stopperPid,
    // Read by Python's datetime.fromisoformat, which took no "Z" before 3.11.
    written_at: now.toISOString().replace("Z", "+00:00"),
  };
  return { name: PLANNED_STOP_FILE, text: `${JSON.stringify(marker)}\n` };
}

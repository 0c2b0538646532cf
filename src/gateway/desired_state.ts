/** What the operator last asked for, as it is kept in the profile's folder. */

/** What the operator last asked for. */
export type Desired = "running" | "stopped";

/** A file by its name in the profile's folder. */
export interface StateFile {
  readonly name: string;
  readonly text: string;
}

/** Gatewarden's own file: the truth about intent. */
export const DESIRED_STATE_FILE = ".gatewarden.json";

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

/** Reads the desired state; null when the text is not what `desiredStateFile` writes. */
export function parseDesiredState(text: string): Desired | null {
  try {
    const { desired } = JSON.parse(text);
    return desired === "running" || desired === "stopped" ? desired : null;
  } catch {
    return null;
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

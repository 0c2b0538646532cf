/** Statuses as a table. */
import type { State, Status } from "../manager.ts";
import type { Style } from "./output.ts";
import { formatTable } from "./table.ts";

const HEADER = ["PROFILE", "STATE", "PID", "SINCE", "UPTIME", "EXIT", "REASON"];
const STATE_COLUMN = HEADER.indexOf("STATE");

const STYLES: Readonly<Record<State, Style>> = {
  running: "green",
  starting: "yellow",
  stopping: "yellow",
  backoff: "yellow",
  stopped: "dim",
  parked: "red",
  failed: "red",
  unregistered: "dim",
  unknown: "dim",
};

/** One line a gateway, below a header; a column that nothing stands in is left out. */
export function formatStatuses(
  statuses: readonly Status[],
  style: (style: Style, text: string) => string,
): string {
  return formatTable(HEADER, statuses.map(cellsOf), (text, row, column) => {
    const state = statuses[row]?.state;
    return column === STATE_COLUMN && state !== undefined ? style(STYLES[state], text) : text;
  });
}

function cellsOf(status: Status): string[] {
  return [
    status.profile,
    status.state,
    status.pid === null ? "" : String(status.pid),
    status.since === null ? "" : formatInstant(status.since),
    status.uptimeSeconds === null ? "" : formatDuration(status.uptimeSeconds),
    status.signal ?? (status.exitCode === null ? "" : String(status.exitCode)),
    status.parkedReason ?? "",
  ];
}

/** ISO 8601 in UTC to the second. */
function formatInstant(since: string): string {
  return since.replace(/\.\d+Z$/, "Z");
}

/** The two largest units: `3d 4h`, `12m 5s`, `7s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(whole / 86400), "d"],
    [Math.floor(whole / 3600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "m"],
    [whole % 60, "s"],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  return first === -1
    ? "0s"
    : parts.slice(first, first + 2).filter(([value]) => value > 0).map(([value, unit]) => `${value}${unit}`)
      .join(" ");
}

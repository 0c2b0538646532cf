/**
 * What s6-supervise makes in a service directory when it is not there yet, made in advance, so that a group can reach
 * it: left to itself, an s6-supervise of root makes it for root alone.
 * https://skarnet.org/software/s6/servicedir.html, https://skarnet.org/software/s6/fifodir.html
 */
import type { Action } from "../manager.ts";

/** Who reaches the skeleton besides its owner. */
export interface SkeletonOptions {
  /** Whether there is a logger in `log/`. */
  readonly log: boolean;
  /** The group that may control the service, by id; by default the owner's. */
  readonly group?: number | undefined;
}

/**
 * The actions that make the skeleton: `event/` 03730, `supervise/` 0755, `supervise/event/` 03730 and the FIFO
 * `supervise/control` 0660, and the same below `log/` when there is a logger.
 *
 * The caller owns all of it, never the service user of a root supervisor: an s6-supervise that runs as root writes
 * through links in a `supervise/` that is another user's. The same goes for `event/`: it writes a byte to whatever a
 * file there of the right name leads to, a link too. So the group gets `supervise/control`, by which it starts and stops
 * the service, and only the owner's group gets the two `event/`.
 */
export function skeletonActions(directory: string, { log, group }: SkeletonOptions): Action[] {
  const shared = group === undefined ? {} : { group };
  const one = (at: string): Action[] => [
    { do: "mkdir", path: `${at}/event`, mode: 0o3730 },
    { do: "mkdir", path: `${at}/supervise`, mode: 0o755, ...shared },
    { do: "mkdir", path: `${at}/supervise/event`, mode: 0o3730 },
    { do: "fifo", path: `${at}/supervise/control`, mode: 0o660, ...shared },
  ];
  return [...one(directory), ...(log ? one(`${directory}/log`) : [])];
}

/** The skeleton of a service directory, made on a real file system. */
import type { Stats } from "node:fs";
import { posix } from "node:path";
import process from "node:process";
import { FileError, PermissionError } from "../errors.ts";
import { HERMES } from "../gateway/definition.ts";
import { perform } from "../host/execute.ts";
import { findUser, userName } from "../host/facts.ts";
import { assertOwnTree, isFolder, isRoot, lstatIfThere, setGroupAndMode } from "../host/files.ts";
import type { Action } from "../manager.ts";
import { skeletonActions } from "./skeleton.ts";

/** Who reaches a skeleton besides its owner. */
export interface SeedOptions {
  /** The service user, whose group gets access when root calls; by default `hermes`. */
  readonly user?: string;
}

/**
 * Makes in a service directory what s6-supervise would make for its own user alone: `event/` (03730), `supervise/`
 * (0755), `supervise/event/` (03730) and the FIFO `supervise/control` (0660), and the same below `log/` when there is
 * one. What is there already gets its mode and group again.
 *
 * Called by root, root owns it and the service user's group has access; a service user's own skeleton is its own.
 *
 * @param directory The service directory.
 * @param options Who gets access.
 * @throws {PermissionError} When root calls and another user could change the directory, or part of the skeleton is
 * another user's.
 * @throws {FileError} When something else is in the way.
 *
 * @example
 * ```ts ignore
 * import { seedSuperviseSkeleton } from "gatewarden";
 * await seedSuperviseSkeleton("/run/service/gateway-coder");
 * ```
 */
export async function seedSuperviseSkeleton(
  directory: string,
  { user = HERMES.user }: SeedOptions = {},
): Promise<void> {
  if (!isFolder(directory)) {
    throw new FileError(`Cannot make the skeleton in ${directory}: there is no such folder.`);
  }
  const log = isFolder(posix.join(directory, "log"));
  assertOwnTree(log ? posix.join(directory, "log") : directory, userName);
  const group = isRoot() ? findUser(user)?.gid ?? HERMES.fallbackId : undefined;
  for (const action of skeletonActions(directory, { log, group })) {
    if (action.do !== "mkdir" && action.do !== "fifo") continue;
    const there = lstatIfThere(action.path);
    if (there === undefined) {
      await perform(action, { verb: "register", service: posix.basename(directory) });
    } else {
      assertUsable(action, there);
      setGroupAndMode(action.path, action.mode, action.group);
    }
  }
}

function assertUsable({ do: make, path }: Action & { do: "mkdir" | "fifo" }, there: Stats): void {
  if (make === "mkdir" ? !there.isDirectory() : !there.isFIFO()) {
    throw new FileError(`Cannot make ${path}: something else is there.`, {
      hint: "Remove it, then try again.",
    });
  }
  if (there.uid !== process.getuid?.()) {
    // To take it over would not do: the links its owner may have put in it would stay.
    throw new PermissionError(`Cannot use ${path}: it belongs to ${userName(there.uid)}.`, {
      hint: "Remove it, then try again.",
    });
  }
}

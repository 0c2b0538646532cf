/** Which scandir is meant where none is named, and as whom to look into it. */
import { posix } from "node:path";
import process from "node:process";
import { type GatewayDefinition, HERMES } from "../gateway/definition.ts";
import { callerUid, runtimeFolder, userName } from "../host/facts.ts";
import { hasReader, isFolder, isRoot, lstatIfThere } from "../host/files.ts";
import { treeScandir } from "./tree.ts";

/** The scandir of s6-overlay. */
export const DEFAULT_SCANDIR = "/run/service";

/** A scandir, and why it is the one. */
export interface ScandirChoice {
  readonly path: string;
  readonly reason: string;
  /** Whether nothing spoke for another one: then it is s6's only if s6 is what this machine runs. */
  readonly byDefault: boolean;
}

/**
 * The scandir to use where neither a flag nor a variable names one: that of the definition, else the service user's
 * own tree when there is one, as an unprivileged caller the tree that `gatewarden tree run` keeps, else that of
 * s6-overlay.
 */
export function chooseScandir({ user, scandir }: GatewayDefinition): ScandirChoice {
  if (scandir !== undefined) return { path: scandir, reason: "the definition names it", byDefault: false };
  const own = treeScandir(user);
  if (isFolder(own)) return { path: own, reason: `${user} has a tree of its own`, byDefault: false };
  const foreground = foregroundScandir();
  if (foreground !== undefined && isOwnFolder(foreground) && isWatched(foreground)) {
    return { path: foreground, reason: "the caller runs a tree of its own there", byDefault: false };
  }
  return { path: DEFAULT_SCANDIR, reason: `${user} has no tree of its own`, byDefault: true };
}

/** Whether an s6-svscan runs on a folder. */
function isWatched(scandir: string): boolean {
  return hasReader(posix.join(scandir, ".s6-svscan/control")) === true;
}

/** The scandir of the tree that a user runs in the foreground; undefined for root. */
export function foregroundScandir(): string | undefined {
  const uid = callerUid();
  if (uid === undefined || uid === 0) return undefined;
  const runtime = runtimeFolder();
  return runtime === undefined ? `/tmp/gatewarden-${uid}` : posix.join(runtime, "gatewarden");
}

/** Whether a folder is the caller's own, and nobody else may change what is in it. */
export function isOwnFolder(path: string): boolean {
  const stats = lstatIfThere(path);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
}

/**
 * The user to become before looking into a scandir: its owner, when root calls and it is somebody else's. Undefined
 * when the caller can go on as it is.
 */
export function ownerToBecome(
  { scandir, definition = HERMES, allowUnsafeScandir = false }: {
    readonly scandir?: string;
    readonly definition?: GatewayDefinition;
    readonly allowUnsafeScandir?: boolean;
  },
): string | undefined {
  if (!isRoot() || allowUnsafeScandir) return undefined;
  const uid = lstatIfThere(posix.resolve(scandir ?? chooseScandir(definition).path))?.uid ?? 0;
  const name = uid === 0 ? undefined : userName(uid);
  // Who has no name cannot be become; assertScandir says what is wrong.
  return name === String(uid) ? undefined : name;
}

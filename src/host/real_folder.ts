/** Folders and the links that lead to them. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";

/**
 * A folder's path with the links on its way followed, if nobody but root and the caller could have put them there: each
 * folder above it is theirs. Where another user could have, the path stays as it is given.
 *
 * /opt/data as a link to /data is root's choice; a link below a folder of the service user's may be anybody's.
 */
export function withoutOwnLinks(folder: string): string {
  const path = resolve(folder);
  try {
    const above = realpathSync(dirname(path));
    return isOwnToTheTop(above) ? realpathSync(join(above, basename(path))) : path;
  } catch {
    return path; // It is not there, or may not be looked at.
  }
}

function isOwnToTheTop(folder: string): boolean {
  for (let path = folder;; path = dirname(path)) {
    const { uid, mode } = lstatSync(path);
    // In a sticky folder, what is root's or the caller's own stays in its place. The folder itself is not in it.
    const sticky = (mode & 0o1000) !== 0 && path !== folder;
    if (uid !== 0 && uid !== process.getuid?.()) return false;
    if ((mode & 0o022) !== 0 && !sticky) return false;
    if (path === dirname(path)) return true;
  }
}

/** Whether no part of a folder's path is a link. */
export function isReachedThroughNoLink(folder: string): boolean {
  try {
    return realpathSync(folder) === folder;
  } catch {
    return false;
  }
}

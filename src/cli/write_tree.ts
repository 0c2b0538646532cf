/** Rendered files -> a folder: built aside under another name, then there at once and whole. */
import { dirname, join } from "node:path";
import process from "node:process";
import { FileError } from "../errors.ts";
import { userName } from "../host/facts.ts";
import { assertOwnTree, lstatIfThere } from "../host/files.ts";
import type { Plan, RenderedFile, Step } from "../manager.ts";
import { isPrivate } from "./without_secrets.ts";

const FOLDER_MODE = 0o755;

/** What is needed of a service's name for one that still fits with what is put around it. */
const NAME_BYTES = 200;

/**
 * The steps that write the files of a service below a folder. They need exactly the modes given, and nothing of that
 * name may be there.
 *
 * @param directory An absolute path; the folder itself is made when it is missing.
 * @param files They all lie in one folder, which is named like the service.
 * @throws {FileError} When something is there already.
 * @throws {PermissionError} For root, when another user can change the folder.
 */
export function planTree(profile: string, directory: string, files: readonly RenderedFile[]): Plan {
  const missing = lstatIfThere(directory) === undefined;
  assertOwnTree(missing ? dirname(directory) : directory, userName);
  const service = files[0]?.path.split("/")[0] ?? "";
  const target = join(directory, service);
  if (lstatIfThere(target) !== undefined) {
    throw new FileError(`Cannot render "${profile}" to ${target}: something is there already.`, {
      hint: "Remove it first, or name another folder with --out.",
    });
  }
  const staging = join(directory, `.gatewarden-${service.slice(0, NAME_BYTES)}.${process.pid}`);
  const aside = (path: string): string => join(staging, path.slice(service.length));
  const steps: Step[] = [
    ...(missing ? [{ do: "mkdir", path: directory, mode: FOLDER_MODE } as const] : []),
    { do: "mkdir", path: staging, mode: FOLDER_MODE, undo: [{ do: "remove", path: staging }] },
    ...foldersOf(files, service).map((path) =>
      ({ do: "mkdir", path: aside(path), mode: folderMode(files, path) }) as const
    ),
    ...files.map(({ path, mode, text }) => ({ do: "write", path: aside(path), mode, text } as const)),
    { do: "rename", from: staging, to: target },
  ];
  return { verb: "render", profile, service, steps };
}

/** A folder with nothing in it for others is not for others either. */
function folderMode(files: readonly RenderedFile[], folder: string): number {
  const inside = files.filter(({ path }) => path.startsWith(`${folder}/`));
  return inside.every(isPrivate) ? 0o700 : FOLDER_MODE;
}

/** The folders of the files below the service's own, a parent before what is in it. */
function foldersOf(files: readonly RenderedFile[], service: string): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== service && folder !== "."; folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  return [...folders].sort();
}

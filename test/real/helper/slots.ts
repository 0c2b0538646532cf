/** What is in a scandir, and what supervises it. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { hasReader, isFolder, readSmallText } from "../../../src/host/files.ts";
import type { RenderedFile } from "../../../src/manager.ts";
import { processesIn } from "./processes.ts";
import { eventually, type Tree } from "./tree.ts";

/** Names of what the verbs leave for a moment in a scandir. */
export function temporaryFolders({ scandir }: Tree): string[] {
  return readdirSync(scandir).filter((name) => name.startsWith(".gatewarden-"));
}

/** The folders that are supervised, loggers included, relative to the scandir. */
export function supervised({ scandir }: Tree): string[] {
  return processesIn(scandir).filter(({ name }) => name === "s6-supervise")
    .map(({ folder }) => relative(scandir, folder)).sort();
}

/** Has s6-svscan look again, and waits until all that it can see is supervised. */
export async function rescan({ scandir }: Tree): Promise<void> {
  execFileSync("s6-svscanctl", ["-a", scandir]);
  await eventually(() => {
    for (const slot of visible(scandir)) {
      for (const folder of [slot, ...(isFolder(join(scandir, slot, "log")) ? [`${slot}/log`] : [])]) {
        if (hasReader(join(scandir, folder, "supervise/control")) !== true) {
          throw new Error(`${folder} is not supervised`);
        }
      }
    }
  });
}

/** Checks that whatever s6-svscan can see, and whatever is supervised, is a slot with all its files. */
export function assertNothingHalfBuilt(tree: Tree, files: readonly RenderedFile[], when: string): void {
  const slots = supervised(tree).map((folder) => folder.replace(/\/log$/, ""));
  for (const slot of [...visible(tree.scandir), ...slots]) {
    const missing = files.map(({ path, text }) => [path.replace(/^[^/]+/, slot), text] as const)
      .filter(([path, text]) => readSmallText(join(tree.scandir, path)) !== text).map(([path]) => path);
    expect(missing, `${when}: ${slot} is supervised, or will be, without these files`).toEqual([]);
  }
}

/** Checks that the scandir is as empty as it was at first, and that only s6-svscan works in the tree. */
export function assertNothingLeft({ folder, scandir }: Tree, when: string): void {
  expect(readdirSync(scandir), when).toEqual([".s6-svscan"]);
  const left = processesIn(folder).filter(({ name }) => name.startsWith("s6-") && name !== "s6-svscan");
  expect(left, when).toEqual([]);
}

function visible(scandir: string): string[] {
  return readdirSync(scandir).filter((name) => !name.startsWith("."));
}

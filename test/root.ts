/** Tests of what only root can arrange. */
import process from "node:process";
import type { TestContext } from "vitest";

/** Another user than root, by number: nobody's, or one that the machine does not know. */
export const NOBODY = 65534;

/** Skips a test where the caller is not root; `what` says what it needs root for: "to give a file to another user". */
export function needsRoot(skip: TestContext["skip"], what: string): void {
  skip(process.getuid?.() !== 0, `needs root, ${what}`);
}

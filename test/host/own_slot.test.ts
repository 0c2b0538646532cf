import { chmodSync, chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { PermissionError } from "../../src/errors.ts";
import { assertOwnSlot } from "../../src/host/slots.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let slot: string;
const check = (): void => assertOwnSlot(slot, (uid) => uid === NOBODY ? "somebody" : `${uid}`);
const FOLDERS = ["", "supervise", "event", "log", "log/supervise", "log/event"];

beforeEach(() => {
  slot = join(temporaryFolder(), "gateway-coder");
  for (const name of FOLDERS) mkdirSync(join(slot, name), { recursive: true, mode: 0o755 });
});

/** What is thrown for the slot. */
function refusal(): PermissionError {
  try {
    check();
  } catch (error) {
    if (error instanceof PermissionError) return error;
    throw error;
  }
  throw new Error("the slot was not refused");
}

describe("assertOwnSlot, called by root", () => {
  beforeEach(({ skip }) => needsRoot(skip, "to give folders to another user"));

  it("takes a slot of root's, to whose events and control a group has access", () => {
    chmodSync(join(slot, "event"), 0o3730);
    chownSync(join(slot, "supervise"), 0, NOBODY);
    writeFileSync(join(slot, "supervise/control"), "");
    chmodSync(join(slot, "supervise/control"), 0o660);
    check();
  });

  it("takes what is not there", () => {
    slot = join(slot, "none");
    check();
  });

  it.each(FOLDERS)("refuses a slot of which %j belongs to another user, and says how to mend it", (name) => {
    const path = join(slot, name);
    chownSync(path, NOBODY, NOBODY);
    const { message, hint, exitCode } = refusal();
    expect(message).toBe(
      `Cannot work on ${slot} as root: ${path} belongs to somebody, who could turn that against root.`,
    );
    expect(hint).toBe(`Stop what supervises it, remove ${slot}, and register it anew.`);
    expect(exitCode).toBe(4);
  });

  it.each(FOLDERS.filter((name) => !name.endsWith("event")))(
    "refuses a slot of which %j can be written by others",
    (name) => {
      for (const mode of [0o775, 0o757, 0o1777]) {
        chmodSync(join(slot, name), mode);
        expect(refusal().message).toBe(
          `Cannot work on ${slot} as root: others than root can write to ${join(slot, name)}.`,
        );
      }
    },
  );

  it("refuses a link of another user in the place of a folder", () => {
    slot = join(slot, "inner");
    mkdirSync(slot);
    symlinkSync("../supervise", join(slot, "supervise"));
    check();
    lchownSync(join(slot, "supervise"), NOBODY, NOBODY);
    expect(refusal().message).toContain("supervise belongs to somebody");
  });
});

describe("assertOwnSlot, called by another user", () => {
  it("lets everything pass: that user's rights are all there are", () => {
    vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
    onTestFinished(() => void vi.restoreAllMocks());
    chmodSync(slot, 0o777);
    check();
  });
});

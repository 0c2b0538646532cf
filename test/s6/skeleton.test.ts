import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FileError, PermissionError } from "../../src/errors.ts";
import { HERMES } from "../../src/gateway/definition.ts";
import { findUser } from "../../src/host/facts.ts";
import { seedSuperviseSkeleton } from "../../src/s6/seed.ts";
import { skeletonActions } from "../../src/s6/skeleton.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let slot: string;
const at = (name: string): string => join(slot, name);

beforeEach(() => {
  slot = join(temporaryFolder(), "gateway-foo");
  mkdirSync(slot);
});

/** Everything below the slot: "03730 event/", "0660 supervise/control|". */
function layout(): string[] {
  return readdirSync(slot, { recursive: true, encoding: "utf8" }).sort().map((name) => {
    const stats = lstatSync(at(name));
    const mark = stats.isDirectory() ? "/" : stats.isFIFO() ? "|" : "";
    return `0${(stats.mode & 0o7777).toString(8)} ${name}${mark}`;
  });
}

const LAYOUT = ["03730 event/", "0755 supervise/", "0660 supervise/control|", "03730 supervise/event/"];

describe("the seed", () => {
  it("test_seed_supervise_skeleton_creates_expected_layout: two event folders, supervise and a control FIFO", async () => {
    await seedSuperviseSkeleton(slot);
    expect(lstatSync(at("event")).isDirectory()).toBe(true);
    expect(lstatSync(at("supervise")).isDirectory()).toBe(true);
    expect(lstatSync(at("supervise")).mode & 0o7777).toBe(0o755);
    expect(lstatSync(at("supervise/event")).isDirectory()).toBe(true);
    expect(lstatSync(at("supervise/control")).isFIFO()).toBe(true);
    expect(lstatSync(at("supervise/control")).mode & 0o7777).toBe(0o660);
  });

  it("test_seed_supervise_skeleton_sets_setgid_on_event_dirs: 03730, so that s6-supervise leaves them alone", async () => {
    await seedSuperviseSkeleton(slot);
    for (const name of ["event", "supervise/event"]) {
      expect(lstatSync(at(name)).mode & 0o7777, name).toBe(0o3730);
    }
  });
});

describe("seedSuperviseSkeleton", () => {
  it.each([0o000, 0o022, 0o077, 0o777])("makes the exact modes under umask %o", async (mask) => {
    mkdirSync(at("log"));
    chmodSync(at("log"), 0o755);
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    await seedSuperviseSkeleton(slot);
    expect(layout()).toEqual([
      "03730 event/",
      "0755 log/",
      "03730 log/event/",
      "0755 log/supervise/",
      "0660 log/supervise/control|",
      "03730 log/supervise/event/",
      "0755 supervise/",
      "0660 supervise/control|",
      "03730 supervise/event/",
    ]);
  });

  it("invents no logger", async () => {
    await seedSuperviseSkeleton(slot);
    expect(layout()).toEqual(LAYOUT);
  });

  it("takes a file or a link of that name for no logger", async () => {
    mkdirSync(at("../elsewhere"));
    symlinkSync("../elsewhere", at("log"));
    await seedSuperviseSkeleton(slot);
    expect(readdirSync(at("../elsewhere"))).toEqual([]);
  });

  it("changes nothing when it is called again, not even the FIFO somebody reads from", async () => {
    await seedSuperviseSkeleton(slot);
    const control = lstatSync(at("supervise/control")).ino;
    await seedSuperviseSkeleton(slot);
    expect(layout()).toEqual(LAYOUT);
    expect(lstatSync(at("supervise/control")).ino).toBe(control);
  });

  it("mends the modes of what is there, and leaves the rest of the slot alone", async () => {
    await seedSuperviseSkeleton(slot);
    writeFileSync(at("supervise/status"), "record");
    for (const name of ["event", "supervise", "supervise/event", "supervise/control"]) {
      chmodSync(at(name), 0o700);
    }
    await seedSuperviseSkeleton(slot);
    expect(layout().filter((line) => !line.includes("status"))).toEqual(LAYOUT);
    expect(readFileSync(at("supervise/status"), "utf8")).toBe("record");
  });

  it.each<[string, (path: string) => void]>([
    ["event", (path) => writeFileSync(path, "")],
    ["supervise", (path) => writeFileSync(path, "")],
    ["supervise/event", (path) => symlinkSync("../..", path)],
    ["supervise/control", (path) => writeFileSync(path, "")],
    ["supervise/control", (path) => mkdirSync(path)],
  ])("fails where something else is in the way of %s", async (name, put) => {
    if (name.includes("/")) mkdirSync(at("supervise"));
    put(at(name));
    const failing = seedSuperviseSkeleton(slot);
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toMatchObject({
      message: `Cannot make ${at(name)}: something else is there.`,
      hint: "Remove it, then try again.",
    });
  });

  it("fails with a typed error where there is no such folder, and makes none", async () => {
    const failing = seedSuperviseSkeleton(at("absent"));
    await expect(failing).rejects.toBeInstanceOf(FileError);
    await expect(failing).rejects.toThrow(
      `Cannot make the skeleton in ${at("absent")}: there is no such folder.`,
    );
    expect(readdirSync(slot)).toEqual([]);
  });

  it("is the caller's own when a service user calls", async () => {
    if (process.getuid?.() === 0) {
      vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
      vi.spyOn(process, "getgid").mockReturnValue(NOBODY);
      onTestFinished(() => void vi.restoreAllMocks());
    }
    await seedSuperviseSkeleton(slot);
    for (const name of readdirSync(slot, { recursive: true, encoding: "utf8" })) {
      expect(lstatSync(at(name)), name).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
    }
    expect(layout()).toEqual(LAYOUT);
  });

  describe("called by root", () => {
    beforeEach(({ skip }) => needsRoot(skip, "to give files another group"));

    it.each([
      ["the service user's group", "nobody"],
      ["the fallback group of a user that is not there", "gatewarden-nobody-has-this-name"],
    ])("gives control, and no more, to %s, and ownership to nobody", async (_, user) => {
      await seedSuperviseSkeleton(slot, { user });
      const group = findUser(user)?.gid ?? HERMES.fallbackId;
      const owners = Object.fromEntries(
        ["event", "supervise", "supervise/event", "supervise/control"].map((name) => {
          const { uid, gid } = lstatSync(at(name));
          return [name, [uid, gid]];
        }),
      );
      expect(owners).toEqual({
        event: [0, process.getgid?.()],
        supervise: [0, group],
        "supervise/event": [0, process.getgid?.()],
        "supervise/control": [0, group],
      });
    });

    it.each([".", "log"])("refuses a folder that another user could change: %s", async (name) => {
      mkdirSync(at("log"));
      chownSync(at(name), NOBODY, NOBODY);
      await expect(seedSuperviseSkeleton(slot)).rejects.toBeInstanceOf(PermissionError);
      expect(layout()).toEqual(["0755 log/"]);
    });

    it.each(["event", "supervise", "supervise/control"])(
      "refuses a %s of another user's: a supervisor of root would follow the links in there",
      async (name) => {
        await seedSuperviseSkeleton(slot);
        chownSync(at(name), NOBODY, NOBODY);
        const failing = seedSuperviseSkeleton(slot);
        await expect(failing).rejects.toBeInstanceOf(PermissionError);
        await expect(failing).rejects.toThrow(`Cannot use ${at(name)}: it belongs to `);
        expect(lstatSync(at(name)).uid).toBe(NOBODY);
      },
    );
  });
});

describe("skeletonActions", () => {
  it("makes no logger's skeleton without a logger", () => {
    const paths = (log: boolean): string[] =>
      skeletonActions("/slot", { log }).map((action) => "path" in action ? action.path : action.do);
    expect(paths(false)).toEqual([
      "/slot/event",
      "/slot/supervise",
      "/slot/supervise/event",
      "/slot/supervise/control",
    ]);
    expect(paths(true).slice(4)).toEqual(paths(false).map((path) => path.replace("/slot", "/slot/log")));
  });

  it("gives a group what starts and stops the service, and never the event folders", () => {
    const shared = skeletonActions("/slot", { log: true, group: 10000 })
      .filter((action) => "group" in action).map((action) => "path" in action ? action.path : action.do);
    expect(shared).toEqual([
      "/slot/supervise",
      "/slot/supervise/control",
      "/slot/log/supervise",
      "/slot/log/supervise/control",
    ]);
  });
});

import { chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { FileError, GatewardenError } from "../../src/errors.ts";
import { execute } from "../../src/host/execute.ts";
import type { Outcome, Step } from "../../src/manager.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

const carryOut = (...steps: Step[]): Promise<Outcome> =>
  execute({ verb: "start", profile: "coder", service: "gateway-coder", steps });

/** The error that a plan ends with. */
async function failure(...steps: Step[]): Promise<GatewardenError> {
  const error: unknown = await carryOut(...steps).catch((error) => error);
  if (error instanceof GatewardenError) return error;
  throw new Error(`no error of Gatewarden's: ${error}`);
}

describe("a step that changes files", () => {
  it("makes folders, files and FIFOs, renames and removes", async () => {
    await carryOut(
      { do: "mkdir", path: at("x"), mode: 0o750 },
      { do: "write", path: at("x/run"), mode: 0o755, text: "#!/bin/sh\n" },
      { do: "fifo", path: at("x/control"), mode: 0o660 },
      { do: "rename", from: at("x"), to: at("y") },
      { do: "mkdir", path: at("z"), mode: 0o755 },
      { do: "remove", path: at("z") },
      { do: "remove", path: at("absent") },
    );
    expect(readdirSync(folder)).toEqual(["y"]);
    const modes = ["y", "y/run", "y/control"].map((name) => (lstatSync(at(name)).mode & 0o7777).toString(8));
    expect(modes).toEqual(["750", "755", "660"]);
    expect(lstatSync(at("y/control")).isFIFO()).toBe(true);
    expect(readFileSync(at("y/run"), "utf8")).toBe("#!/bin/sh\n");
  });

  it("gives folders and FIFOs the group that is named", async ({ skip }) => {
    needsRoot(skip, "to give files another group");
    await carryOut(
      { do: "mkdir", path: at("x"), mode: 0o3730, group: NOBODY },
      { do: "fifo", path: at("x/control"), mode: 0o660, group: NOBODY },
    );
    const stats = ["x", "x/control"].map((name) => lstatSync(at(name)));
    expect(stats.map(({ uid, gid }) => [uid, gid])).toEqual([[0, NOBODY], [0, NOBODY]]);
    expect(stats.map(({ mode }) => mode & 0o7777)).toEqual([0o3730, 0o660]);
  });

  it.each<[string, (path: string) => Step]>([
    ["mkdir", (path) => ({ do: "mkdir", path, mode: 0o755 })],
    ["write", (path) => ({ do: "write", path, mode: 0o644, text: "new" })],
    ["fifo", (path) => ({ do: "fifo", path, mode: 0o660 })],
  ])("fails at what is there already, and leaves it as it is: %s", async (_, step) => {
    writeFileSync(at("x"), "kept", { mode: 0o600 });
    const error = await failure(step(at("x")));
    expect(error.message).toMatch(/^Cannot start gateway-coder: /);
    expect(readFileSync(at("x"), "utf8")).toBe("kept");
    expect(lstatSync(at("x")).mode & 0o777).toBe(0o600);
  });

  it("fails with a typed error that names the path, and keeps the system's", async () => {
    const error = await failure({ do: "mkdir", path: at("absent/x"), mode: 0o755 });
    expect(error).toBeInstanceOf(FileError);
    expect(error.message).toContain(`ENOENT: no such file or directory, mkdir '${at("absent/x")}'`);
    expect(error.cause).toMatchObject({ code: "ENOENT" });
  });

  it("fails to rename onto a folder that is not empty: of two callers, one wins", async () => {
    for (const name of ["a", "b"]) {
      mkdirSync(at(name));
      writeFileSync(at(`${name}/file`), name);
    }
    const error = await failure({ do: "rename", from: at("a"), to: at("b") });
    expect(error.cause).toMatchObject({ code: "ENOTEMPTY" });
    expect([readdirSync(folder), readFileSync(at("b/file"), "utf8")]).toEqual([["a", "b"], "b"]);
  });

  it("says what is left, and why, when root may not remove it", async ({ skip }) => {
    needsRoot(skip, "to give a folder to another user");
    mkdirSync(at("x/theirs"), { recursive: true });
    writeFileSync(at("x/theirs/file"), "");
    chownSync(at("x/theirs"), NOBODY, NOBODY);
    expect((await failure({ do: "remove", path: at("x") })).message).toBe(
      `Cannot remove ${at("x/theirs")}: it belongs to another user and is not empty.`,
    );
  });
});

/** Gatewarden where the user of the tests can read it. */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gid, uid } from "./user.ts";

/** A runtime that the driver runs under. */
export type Runtime = "node" | "deno";

/** What a test file needs before it can start a tree. */
export interface Stage {
  readonly folder: string;
  /** The command that runs the driver, without its argument. */
  readonly driver: Readonly<Record<Runtime, readonly string[]>>;
  /** The command line. */
  readonly cli: Readonly<Record<Runtime, readonly string[]>>;
  /** The gateway of the tests. */
  readonly gateway: string;
  remove(): void;
}

/** A new folder of the user's. */
export function makeFolderOfUser(path: string): string {
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, gid);
  return path;
}

/** Compiles Gatewarden and puts it, and both runtimes, where the user can reach them. */
export function prepareStage(): Stage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gatewarden-stage-")));
  chmodSync(folder, 0o755);
  fillStage(folder);
  const cache = makeFolderOfUser(join(folder, "cache"));
  const node = join(folder, "node");
  const deno = ["env", `DENO_DIR=${cache}`, join(folder, "deno"), "run", "-A", "--quiet"];
  const command = (file: string): Record<Runtime, string[]> => ({
    node: [node, join(folder, "compiled", `${file}.js`)],
    deno: [...deno, join(folder, `${file}.ts`)],
  });
  return {
    folder,
    driver: command("test/real/driver"),
    cli: command("src/bin"),
    gateway: join(folder, "test/real/gateway.sh"),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function fillStage(folder: string): void {
  const script = fileURLToPath(new URL("../stage.sh", import.meta.url));
  const { status, stdout, stderr } = spawnSync("sh", [script, folder], { encoding: "utf8" });
  if (status === 0) return;
  rmSync(folder, { recursive: true });
  throw new Error(`${script} exited with ${status}:\n${stdout}${stderr}`);
}

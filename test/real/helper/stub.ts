/** A PATH on which a program of s6 is another one, or none. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Why such a PATH would change nothing; undefined when it does. */
export const noStubs: string | undefined = existsSync("/command")
  ? "this machine has a /command, and what is there goes before PATH"
  : undefined;

const usualPath = process.env["PATH"] ?? "";

/**
 * A PATH on which a program is this shell script. The script finds the real one by `$real`.
 *
 * @param folder Where to put it.
 */
export function pathWith(folder: string, program: string, ...script: readonly string[]): string {
  const stubs = newFolder(folder);
  const real = usualPath.split(":").map((one) => join(one, program)).find((path) => existsSync(path)) ?? "";
  const lines = ["#!/bin/sh", `real=${real}`, ...script, ""];
  writeFileSync(join(stubs, program), lines.join("\n"), { mode: 0o755 });
  return `${stubs}:${usualPath}`;
}

/** A PATH on which everything is but one program. */
export function pathWithout(folder: string, program: string): string {
  const links = newFolder(folder);
  const taken = new Set([program]);
  for (const from of usualPath.split(":").filter((path) => existsSync(path))) {
    for (const name of readdirSync(from).filter((name) => !taken.has(name))) {
      taken.add(name);
      symlinkSync(join(from, name), join(links, name));
    }
  }
  return links;
}

/** An s6-svscanctl that says it failed when all is done: there are supervisors to be ended. */
export const FAILS_LATE: readonly string[] = [
  '"$real" "$@"',
  'while [ -d "$2/gateway-coder" ] && [ ! -e "$2/gateway-coder/log/supervise/status" ]; do :; done',
  "exit 111",
];

function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, "path-"));
  chmodSync(folder, 0o755);
  return folder;
}

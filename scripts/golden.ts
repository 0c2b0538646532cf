/**
 * The golden files: what each case in golden/ renders to, kept as real files and reviewed like code.
 *
 *     golden.ts [FOLDER]           renders every case: writes what changed, deletes what is rendered no longer
 *     golden.ts --check [FOLDER]   prints every difference as a unified diff; exits 1 if there is one
 *
 * golden_case.ts says what a case is and what it renders to.
 */
import { createTwoFilesPatch } from "diff";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASE_FILE, INPUT_FILES, renderCase } from "./golden_case.ts";

/** A file's content, and whether it can be run: what git keeps of a mode. MODES has the rest. */
interface GoldenFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Files by path, with `/`, relative to the golden folder. */
type Tree = ReadonlyMap<string, GoldenFile>;

function readTree(folder: string): Tree {
  const tree = new Map<string, GoldenFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) throw new Error(`${path} is neither a file nor a folder.`);
    const executable = (statSync(path).mode & 0o100) !== 0;
    tree.set(path.slice(folder.length + 1).replaceAll(sep, "/"), { bytes: readFileSync(path), executable });
  }
  return tree;
}

/** Everything that should be in the folder: each case's input as it is, and what it renders to. */
async function expectedTree(folder: string, actual: Tree): Promise<Tree> {
  const expected = new Map<string, GoldenFile>();
  for (const casePath of [...actual.keys()].filter((path) => path.endsWith(`/${CASE_FILE}`))) {
    const name = dirname(casePath);
    for (const input of INPUT_FILES.map((file) => `${name}/${file}`)) {
      const file = actual.get(input);
      if (file !== undefined) expected.set(input, file);
    }
    for (const { path, mode, text } of await renderCase(join(folder, name))) {
      expected.set(`${name}/${path}`, {
        bytes: new TextEncoder().encode(text),
        executable: (mode & 0o100) !== 0,
      });
    }
  }
  return expected;
}

interface Difference {
  readonly path: string;
  readonly actual: GoldenFile | undefined;
  readonly expected: GoldenFile | undefined;
}

function compare(actual: Tree, expected: Tree): Difference[] {
  return [...new Set([...actual.keys(), ...expected.keys()])].sort()
    .map((path) => ({ path, actual: actual.get(path), expected: expected.get(path) }))
    .filter(({ actual, expected }) => describe(actual, expected) !== "");
}

/** What is wrong with a file, in a few words; empty when nothing is. */
function describe(actual: GoldenFile | undefined, expected: GoldenFile | undefined): string {
  if (actual === undefined) return "missing";
  if (expected === undefined) return "extra";
  return [
    ...(Buffer.compare(actual.bytes, expected.bytes) === 0 ? [] : ["changed"]),
    ...(actual.executable === expected.executable
      ? []
      : [expected.executable ? "not executable" : "executable"]),
  ].join(", ");
}

/** What is wrong, then the patch that would mend it. */
function formatDifference({ path, actual, expected }: Difference): string {
  const text = (file: GoldenFile | undefined): string => new TextDecoder().decode(file?.bytes);
  const name = (file: GoldenFile | undefined): string => file === undefined ? "/dev/null" : `golden/${path}`;
  const patch = createTwoFilesPatch(
    name(actual),
    name(expected),
    text(actual),
    text(expected),
    "on disk",
    "rendered",
  );
  const hunks = patch.includes("\n@@") ? `\n${patch.slice(patch.indexOf("---"))}` : "";
  return `${describe(actual, expected)}: golden/${path}${hunks}`;
}

/** Makes one file as it should be, and says how. */
function mend(folder: string, { path, expected }: Difference): string {
  const target = join(folder, path);
  if (expected === undefined) {
    rmSync(target);
    removeEmptyFolders(dirname(target));
    return `deleted golden/${path}`;
  }
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, expected.bytes);
  chmodSync(target, expected.executable ? 0o755 : 0o644);
  return `wrote golden/${path}`;
}

function removeEmptyFolders(folder: string): void {
  if (readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmptyFolders(dirname(folder));
}

/**
 * The program.
 *
 * @param args What stands on the command line.
 * @param print Takes a line.
 * @returns The exit code.
 */
export async function main(args: readonly string[], print: (line: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { check: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const folder = positionals[0] ?? fileURLToPath(new URL("../golden", import.meta.url));
  const actual = readTree(folder);
  const expected = await expectedTree(folder, actual);
  if (expected.size === 0) throw new Error(`There is no case in ${folder}.`);
  const differences = compare(actual, expected);
  for (const difference of differences) {
    print(values.check ? formatDifference(difference) : mend(folder, difference));
  }
  if (values.check && differences.length > 0) {
    print(`Not as rendered: ${differences.length}. To take what is rendered: npm run golden`);
    return 1;
  }
  print(`${expected.size} golden files are as rendered.`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2), console.log);
}

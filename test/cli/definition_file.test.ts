import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readDefinitionFile } from "../../src/cli/definition_file.ts";
import { DefinitionError, PermissionError } from "../../src/errors.ts";
import { needsRoot, NOBODY } from "../root.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import { FakeManager, gatewarden } from "./harness.ts";

let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), "definition.json");
  writeFileSync(file, '{"extends":"hermes","user":"other"}');
  chmodSync(file, 0o644);
});

describe("readDefinitionFile", () => {
  it("reads a definition", async () => {
    expect(await readDefinitionFile(file)).toMatchObject({ name: "hermes", user: "other" });
  });

  it("takes a file that is not there, and a folder, for a wrong definition", async () => {
    await expect(readDefinitionFile(`${file}.none`)).rejects.toThrow("there is no such file");
    await expect(readDefinitionFile(join(file, ".."))).rejects.toBeInstanceOf(DefinitionError);
  });

  it("refuses one that others can change, when root calls", async ({ skip }) => {
    needsRoot(skip, "as whom it is careful");
    chmodSync(file, 0o664);
    await expect(readDefinitionFile(file)).rejects.toBeInstanceOf(PermissionError);
    chmodSync(file, 0o644);
    chownSync(file, NOBODY, NOBODY);
    await expect(readDefinitionFile(file)).rejects.toBeInstanceOf(PermissionError);
  });

  it("reads one that others can change, when another user calls", async () => {
    chmodSync(file, 0o666);
    vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await readDefinitionFile(file)).toMatchObject({ user: "other" });
  });
});

describe("--config", () => {
  it.for([["--config"], []])(
    "names the file that root refuses, and the mend: by %j",
    async (flag, { skip }) => {
      needsRoot(skip, "as whom it is careful");
      chmodSync(file, 0o646);
      const manager = new FakeManager("a");
      const argv = ["start", "a", ...(flag[0] === undefined ? [] : [flag[0], file])];
      const result = await gatewarden(manager, argv, { GATEWARDEN_CONFIG: file });
      expect(result).toMatchObject({
        exitCode: 4,
        stdout: "",
        stderr: `gatewarden: Cannot use ${file} as root: others than root can write to it.\n` +
          `Close it with: chmod go-w ${file}\n`,
      });
      expect(manager.calls).toEqual([]);
    },
  );
});

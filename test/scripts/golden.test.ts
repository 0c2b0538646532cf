import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { main } from "../../scripts/golden.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const GOLDEN = fileURLToPath(new URL("../../golden", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
  for (const name of ["named", "errors/bad-variable-name"]) {
    cpSync(join(GOLDEN, name), join(folder, name), { recursive: true });
  }
  // Whether golden/ itself is up to date is for golden:check to say.
  await run();
});

const slotFile = (path: string): string => join(folder, "named/s6/gateway-coder", path);

async function run(...flags: string[]): Promise<{ exitCode: number; printed: string }> {
  const lines: string[] = [];
  const exitCode = await main([...flags, folder], (line) => lines.push(line));
  return { exitCode, printed: lines.join("\n") };
}

describe("golden.ts --check", () => {
  it("passes when every file is as rendered", async () => {
    const { exitCode, printed } = await run("--check");
    expect(printed).toMatch(/^\d+ golden files are as rendered\.$/);
    expect(exitCode).toBe(0);
  });

  it("catches a changed byte, and shows it as a unified diff", async () => {
    const script = readFileSync(slotFile("run"), "utf8");
    writeFileSync(slotFile("run"), script.replace("\nset -e\n", "\nset -u\n"));
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toContain(
      "changed: golden/named/s6/gateway-coder/run\n--- golden/named/s6/gateway-coder/run",
    );
    expect(printed).toMatch(/^@@ -\d+,\d+ \+\d+,\d+ @@$/m);
    expect(printed).toMatch(/^-set -u\n\+set -e$/m);
  });

  it.each([
    ["a missing final newline", (text: string) => text.trimEnd()],
    ["a carriage return", (text: string) => text.replace("\n", "\r\n")],
    ["a byte order mark", (text: string) => `\ufeff${text}`],
  ])("catches %s", async (_, change) => {
    writeFileSync(slotFile("type"), change(readFileSync(slotFile("type"), "utf8")));
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toContain("changed: golden/named/s6/gateway-coder/type");
  });

  it("catches a byte that is no UTF-8", async () => {
    const type = readFileSync(slotFile("type"));
    writeFileSync(slotFile("type"), Buffer.concat([type, Buffer.of(0xff)]));
    expect((await run("--check")).exitCode).toBe(1);
  });

  it("catches a script that cannot be run", async () => {
    chmodSync(slotFile("finish"), 0o644);
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toContain("not executable: golden/named/s6/gateway-coder/finish");
  });

  it("catches a plain file that can be run", async () => {
    chmodSync(slotFile("type"), 0o755);
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toContain("executable: golden/named/s6/gateway-coder/type");
  });

  it("takes the permissions of a checkout under another umask", async () => {
    chmodSync(slotFile("finish"), 0o700);
    chmodSync(slotFile("type"), 0o664);
    expect((await run("--check")).exitCode).toBe(0);
  });

  it("catches another mode in MODES", async () => {
    const modes = join(folder, "named/s6/MODES");
    writeFileSync(
      modes,
      readFileSync(modes, "utf8").replace("0755 gateway-coder/run", "0775 gateway-coder/run"),
    );
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^-0775 gateway-coder\/run\n\+0755 gateway-coder\/run$/m);
  });

  it("catches another step in COMMANDS", async () => {
    const commands = join(folder, "named/s6/COMMANDS");
    writeFileSync(commands, readFileSync(commands, "utf8").replace(/^rename .*\n/m, ""));
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^\+rename /m);
  });

  it("catches another error", async () => {
    const error = join(folder, "errors/bad-variable-name/s6/ERROR");
    writeFileSync(error, readFileSync(error, "utf8").replace("code: usage", "code: definition"));
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^-code: definition\n\+code: usage$/m);
  });

  it.each(["run", "log/run", "type", "../MODES", "../COMMANDS"])(
    "catches that %s is missing",
    async (path) => {
      rmSync(slotFile(path));
      const { exitCode, printed } = await run("--check");
      expect(exitCode).toBe(1);
      expect(printed).toMatch(/^missing: golden\/named\/s6\//m);
    },
  );

  it.each(["named/s6/gateway-coder/down", "named/systemd/unit", "named/NOTES", "notes"])(
    "catches that %s is extra, even when it is empty",
    async (path) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), "");
      const { exitCode, printed } = await run("--check");
      expect(exitCode).toBe(1);
      expect(printed).toContain(`extra: golden/${path}`);
    },
  );

  it("catches the files of a case that is no more", async () => {
    rmSync(join(folder, "named/case.json"));
    const { exitCode, printed } = await run("--check");
    expect(exitCode).toBe(1);
    expect(printed).toContain("extra: golden/named/s6/gateway-coder/run");
  });

  it("does not follow a link", async () => {
    rmSync(slotFile("type"));
    symlinkSync(slotFile("log/type"), slotFile("type"));
    await expect(run("--check")).rejects.toThrow("is neither a file nor a folder");
  });

  it("does not pass when there is no case at all", async () => {
    rmSync(join(folder, "named"), { recursive: true });
    rmSync(join(folder, "errors"), { recursive: true });
    await expect(run("--check")).rejects.toThrow("There is no case in");
  });
});

describe("golden.ts", () => {
  it("mends every difference, and says what it did", async () => {
    const script = readFileSync(slotFile("run"));
    writeFileSync(slotFile("run"), "true\n");
    chmodSync(slotFile("finish"), 0o644);
    rmSync(slotFile("type"));
    mkdirSync(join(folder, "named/systemd/old"), { recursive: true });
    writeFileSync(join(folder, "named/systemd/old/unit"), "");
    const { exitCode, printed } = await run();
    expect(exitCode).toBe(0);
    expect(printed.split("\n")).toEqual([
      "wrote golden/named/s6/gateway-coder/finish",
      "wrote golden/named/s6/gateway-coder/run",
      "wrote golden/named/s6/gateway-coder/type",
      "deleted golden/named/systemd/old/unit",
      expect.stringMatching(/^\d+ golden files are as rendered\.$/),
    ]);
    expect(readFileSync(slotFile("run"))).toEqual(script);
    expect(statSync(slotFile("finish")).mode & 0o777).toBe(0o755);
    expect(existsSync(join(folder, "named/systemd"))).toBe(false);
    expect((await run("--check")).exitCode).toBe(0);
  });

  it("renders a new case whole", async () => {
    mkdirSync(join(folder, "new"));
    writeFileSync(join(folder, "new/case.json"), JSON.stringify({ profile: "writer", startNow: false }));
    await run();
    expect(readFileSync(join(folder, "new/s6/MODES"), "utf8")).toContain("0644 gateway-writer/down\n");
    expect(readFileSync(join(folder, "new/s6/gateway-writer/run"), "utf8")).toContain("hermes -p writer ");
  });

  it("deletes what it rendered for a case that is no more, and nothing else", async () => {
    rmSync(join(folder, "named/case.json"));
    await run();
    expect(readdirSync(folder)).toEqual(["errors"]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { processesIn } from "./helper/processes.ts";
import { assertNothingLeft, rescan } from "./helper/slots.ts";
import { prepareStage, type Stage } from "./helper/stage.ts";
import { FAILS_LATE, noStubs, pathWith, pathWithout } from "./helper/stub.ts";
import { startTree, type Tree } from "./helper/tree.ts";
import { asUser } from "./helper/user.ts";

let stage: Stage;
beforeAll(() => {
  stage = prepareStage();
});
afterAll(() => stage.remove());

async function treeFor({ onTestFinished }: TestContext): Promise<Tree> {
  const tree = await startTree(stage);
  onTestFinished(() => tree.remove());
  return tree;
}

/** Tries to register a profile; gives the error. */
async function failToRegister(tree: Tree, path?: string): Promise<unknown> {
  const driver = tree.driver(path === undefined ? {} : { path });
  const error: unknown = await driver.call("registerProfileGateway", "coder").catch((error) => error);
  await driver.close();
  expect(error, "register was to fail").toBeInstanceOf(Error);
  return error;
}

/** What a stub leaves behind works in the tree, and is killed with it. */
const STAY = 'cd "${0%/*}"';

const HANGS = [
  ["hangs", `${STAY}; exec sleep 1000`],
  ["hangs, with a child that holds its output", `${STAY}; sleep 1000 & exec sleep 1000`],
  ["ends, and leaves a child that holds its output", `${STAY}; sleep 1000 & "$real" "$@"`],
] as const;

// Most of these only wait for a limit.
describe.concurrent("register", () => {
  it("says how the rescan tool failed, and undoes everything", async (ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const tree = await treeFor(ctx);
    const path = pathWith(tree.folder, "s6-svscanctl", "echo no such luck >&2; exit 111");
    expect(await failToRegister(tree, path)).toMatchObject({
      name: "S6CommandError",
      message: expect.stringMatching(/^Cannot register gateway-coder: .* exited with 111: no such luck$/),
      hint: expect.stringContaining("Is an s6-svscan running on"),
    });
    assertNothingLeft(tree, "undone");
  });

  it("ends the supervisors when the rescan tool fails after it has done its work", async (ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const tree = await treeFor(ctx);
    const path = pathWith(tree.folder, "s6-svscanctl", ...FAILS_LATE);
    expect(await failToRegister(tree, path)).toMatchObject({ name: "S6CommandError" });
    assertNothingLeft(tree, "undone");
  });

  it("says where it looked when the rescan tool is missing, and touches nothing", async (ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const tree = await treeFor(ctx);
    const path = pathWithout(tree.folder, "s6-svscanctl");
    expect(await failToRegister(tree, path)).toMatchObject({
      name: "ProgramNotFoundError",
      message: "Cannot find s6-svscanctl: it is neither in /command nor on PATH.",
      exitCode: 1,
    });
    assertNothingLeft(tree, "refused");
  });

  it.for(HANGS)("gives up when the rescan tool %s, and undoes everything", async ([, script], ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const tree = await treeFor(ctx);
    const path = pathWith(tree.folder, "s6-svscanctl", script);
    const start = Date.now();
    expect(await failToRegister(tree, path)).toMatchObject({
      name: "TimeoutError",
      message: expect.stringMatching(
        /^Cannot register gateway-coder within 5 s: .* did not end and was killed\.$/,
      ),
    });
    // The limit of the rescan, and once more in the undo.
    expect(Date.now() - start).toBeLessThan(20_000);
    assertNothingLeft(tree, "undone");
  });

  it.for(["node", "deno"] as const)(
    "ends under %s although a child of the rescan tool goes on and holds its output",
    async (runtime, ctx) => {
      ctx.skip(noStubs !== undefined, noStubs);
      const tree = await treeFor(ctx);
      const PATH = pathWith(tree.folder, "s6-svscanctl", STAY, "sleep 1000 & exec sleep 1000");
      const [program, ...parameters] = asUser([
        ...stage.cli[runtime],
        ...["register", "coder", "--scandir", tree.scandir],
      ]);
      const child = spawn(program, parameters, { cwd: tree.folder, env: { PATH } });
      const said = text(child.stderr);
      expect(await once(child, "exit")).toEqual([1, null]);
      expect(processesIn(tree.folder).map(({ name }) => name)).toContain("sleep");
      expect(await said).toContain("Cannot register gateway-coder within 5 s");
    },
  );

  it("sees that nothing came of a rescan tool that was killed, and undoes everything", async (ctx) => {
    ctx.skip(noStubs !== undefined, noStubs);
    const tree = await treeFor(ctx);
    const path = pathWith(tree.folder, "s6-svscanctl", "kill -9 $$");
    expect(await failToRegister(tree, path)).toMatchObject({ name: "TimeoutError" });
    assertNothingLeft(tree, "undone");
  });

  it("says so when no s6-svscan runs, and undoes everything", async (ctx) => {
    const tree = await treeFor(ctx);
    process.kill(tree.pid, "SIGKILL");
    expect(await failToRegister(tree)).toMatchObject({
      name: "S6CommandError",
      hint: `Is an s6-svscan running on ${tree.scandir}? Start one with: s6-svscan ${tree.scandir}`,
    });
    expect(readdirSync(tree.scandir)).toEqual([".s6-svscan"]);
  });

  it("says what did not happen when s6-svscan does not answer, and undoes it for good", async (ctx) => {
    const tree = await treeFor(ctx);
    process.kill(tree.pid, "SIGSTOP");
    expect(await failToRegister(tree)).toMatchObject({
      name: "TimeoutError",
      message:
        `Cannot register gateway-coder within 5 s: no s6-supervise took up ${tree.scandir}/gateway-coder.`,
    });
    process.kill(tree.pid, "SIGCONT");
    await rescan(tree);
    assertNothingLeft(tree, "s6-svscan goes on");
  });
});

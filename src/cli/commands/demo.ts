import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { userName } from "../../host/facts.ts";
import { onInterruption } from "../../host/interruption.ts";
import { type PrivateTree, startPrivateTree } from "../../host/private_tree.ts";
import type { Call, CommonFlags } from "../call.ts";
import { demoDefinition } from "../demo/definition.ts";
import { readLastLines, type Stage, tellStory } from "../demo/story.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import type { Output } from "../output.ts";

const PROFILE = "coder";

/** 128 + SIGINT: what a shell reports of a program that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

/** `gatewarden demo` */
export default async function demo(call: Call<Pick<CommonFlags, "noColor">>): Promise<number> {
  const interruption = onInterruption();
  try {
    await perform(call, interruption.signal);
    return EXIT_DONE;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    call.output.note("Interrupted. No process and no file is left.");
    return EXIT_INTERRUPTED;
  } finally {
    interruption.close();
  }
}

/** Sets the stage, tells the story, and leaves nothing behind, however it ends. */
async function perform({ host, output }: Call<unknown>, signal: AbortSignal): Promise<void> {
  const uid = process.getuid?.() ?? 0;
  const user = userName(uid);
  const folder = mkdtempSync(join(tmpdir(), "gatewarden-demo-"));
  const home = join(folder, "home");
  const scandir = join(folder, "scandir");
  const tell = narrator(output, signal);
  let tree: PrivateTree | undefined;
  try {
    mkdirSync(home);
    mkdirSync(scandir);
    tree = await startPrivateTree(scandir);
    output.print(`A real gateway on a private s6, as ${user}, in ${folder}:\n\n`);
    tell("s6-svscan scandir/", `it watches an empty folder, as pid ${tree.pid}`);
    const manager = await host.getServiceManager({
      manager: "s6",
      scandir,
      definition: demoDefinition(home, user, uid),
    });
    const stage = { manager, profile: PROFILE, home, tell, show: indented(output), signal };
    await tellStory(stage).catch(async (error) => {
      if (!signal.aborted) output.note(`The gateway's last words:\n${await readLastLines(stage)}`);
      throw error;
    });
  } finally {
    // While something still runs, its folder stays.
    await tree?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  tell(`kill ${tree.pid}; rm -r ${folder}`, "no process and no file is left");
}

const COMMAND_WIDTH = 33;

/** Numbers the steps and puts what came of each next to it. */
function narrator(output: Output, signal: AbortSignal): Stage["tell"] {
  let number = 0;
  return (done, result) => {
    signal.throwIfAborted();
    number += 1;
    const command = output.style("bold", done) + " ".repeat(Math.max(0, COMMAND_WIDTH - done.length));
    output.print(`${String(number).padStart(2)}. ${command} ${result}\n`);
  };
}

function indented(output: Output): (text: string) => void {
  return (text) => output.print(text.replaceAll(/^(?=.)/gm, "      "));
}

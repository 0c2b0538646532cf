import { join, resolve } from "node:path";
import { detect } from "../../detect.ts";
import { readHostFacts } from "../../host/facts.ts";
import type { RenderedFile, ServiceManager } from "../../manager.ts";
import { type Call, type CommonFlags, settingsOfCall } from "../call.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import { formatMode, formatPlan, formatSize, formatStep } from "../format_plan.ts";
import { type RegisterFlags, registerOptionsOf } from "../register_options.ts";
import type { TargetFlags } from "../settings.ts";
import { isPrivate, planForJson, withoutSecrets } from "../without_secrets.ts";
import { planTree } from "../write_tree.ts";

/** The flags of `render`. */
export interface RenderFlags extends CommonFlags, TargetFlags, RegisterFlags {
  readonly out?: string;
  readonly interpreter?: "with-contenv" | "sh";
  readonly dryRun?: boolean;
}

/** `gatewarden render PROFILE` */
export default async function render(call: Call<RenderFlags>, profile: string): Promise<number> {
  const { flags, output } = call;
  const manager = await managerToRenderFor(call);
  const files = manager.render(profile, await registerOptionsOf(flags));
  if (flags.out === undefined) {
    if (output.json) output.printJson(files.map(fileForJson));
    else output.print(files.map(formatFile).join("\n"));
    return EXIT_DONE;
  }
  const plan = planTree(profile, resolve(flags.out), files);
  if (flags.dryRun) {
    if (output.json) output.printJson(planForJson(plan));
    else output.print(formatPlan(plan));
    return EXIT_DONE;
  }
  const { execute } = await import("../../host/execute.ts");
  await execute(plan, (step) => output.debug(formatStep(step)));
  if (output.json) output.printJson(files.map(fileForJson));
  output.say(`Wrote ${join(resolve(flags.out), plan.service)}.`);
  return EXIT_DONE;
}

/** Nothing has to run for rendering, so where no manager does, s6 is taken: the usual case is a container's image. */
async function managerToRenderFor(call: Call<RenderFlags>): Promise<ServiceManager> {
  const settings = await settingsOfCall(call);
  const here = readHostFacts();
  const { interpreter } = call.flags;
  const facts = interpreter === undefined ? here : { ...here, withContenv: interpreter === "with-contenv" };
  const kind = settings.manager ?? detect(facts).kind;
  return await call.host.getServiceManager({ ...settings, facts, manager: kind === "none" ? "s6" : kind });
}

/** A file as it is printed; what is for its owner alone is not. */
function formatFile(file: RenderedFile): string {
  const { path, mode, text } = file;
  const shown = isPrivate(file) ? `(${formatSize(text)}, not shown; --out DIR writes it)\n` : text;
  return `==> ${path} ${formatMode(mode)} <==\n${shown}`;
}

function fileForJson(file: RenderedFile): unknown {
  return { ...withoutSecrets(file), mode: formatMode(file.mode) };
}

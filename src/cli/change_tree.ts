/** `tree install` and `tree uninstall`: a plan, shown or carried out. */
import { HERMES } from "../gateway/definition.ts";
import type { Outcome, Plan } from "../manager.ts";
import type { TreeSettings } from "../s6/tree_manager.ts";
import { type Call, type CommonFlags, settingsOfCall } from "./call.ts";
import { EXIT_DONE } from "./exit_codes.ts";
import { formatPlan } from "./format_plan.ts";
import type { TargetFlags } from "./settings.ts";

/** The flags of the verbs on a tree. `--scandir` names root's scandir. */
export interface TreeFlags extends CommonFlags, TargetFlags {
  readonly dryRun?: boolean;
}

/** What is done to a tree, and what is said when it is done. */
export interface TreeChange {
  readonly plan: (settings: TreeSettings) => Promise<Plan>;
  readonly act: (settings: TreeSettings) => Promise<Outcome>;
  readonly done: (user: string) => string;
}

/** The tree that a call is about. */
export async function treeSettingsOf(call: Call<TargetFlags>): Promise<TreeSettings> {
  const { scandir, definition = HERMES, onStep } = await settingsOfCall(call);
  return {
    definition,
    ...(scandir === undefined ? {} : { scandir }),
    ...(onStep === undefined ? {} : { onStep }),
  };
}

/** Shows or carries out a change to a tree. */
export async function changeTree(call: Call<TreeFlags>, { plan, act, done }: TreeChange): Promise<number> {
  const { flags, output } = call;
  const settings = await treeSettingsOf(call);
  if (flags.dryRun === true) {
    const planned = await plan(settings);
    if (output.json) output.printJson(planned);
    else output.print(formatPlan(planned));
    return EXIT_DONE;
  }
  const { user } = settings.definition;
  const { warnings } = await act(settings);
  output.say(done(user));
  for (const warning of warnings) output.warn(warning);
  if (output.json) output.printJson({ user, ok: true, warnings });
  return EXIT_DONE;
}

/** `tree install` and `tree uninstall`: a plan, shown or carried out. */
import { UsageError } from "../errors.ts";
import { HERMES } from "../gateway/definition.ts";
import type { Outcome, Plan } from "../manager.ts";
import type { TreeSettings } from "../s6/tree_manager.ts";
import { type Call, type CommonFlags, settingsOfCall } from "./call.ts";
import { EXIT_DONE } from "./exit_codes.ts";
import { formatPlan } from "./format_plan.ts";
import type { TargetFlags } from "./settings.ts";

/** The flags by which a tree is chosen. `--scandir` names root's scandir. */
export type TreeTargetFlags = Omit<TargetFlags, "allowUnsafeScandir">;

/** The flags of the verbs on a tree. */
export interface TreeFlags extends CommonFlags, TreeTargetFlags {
  readonly dryRun?: boolean;
}

/** What is done to a tree, and what is said when it is done. */
export interface TreeChange {
  readonly plan: (settings: TreeSettings) => Promise<Plan>;
  readonly act: (settings: TreeSettings) => Promise<Outcome>;
  readonly done: (user: string) => string;
}

/**
 * The tree that a call is about. Root's scandir is named by the flag alone: the variable and the definition name that
 * of the gateways.
 *
 * @throws {UsageError} When another manager than s6 is asked for.
 */
export async function treeSettingsOf(call: Call<TreeTargetFlags>): Promise<TreeSettings> {
  const { scandir } = call.flags;
  const { manager = "s6", definition = HERMES, onStep } = await settingsOfCall(call);
  if (manager !== "s6") {
    throw new UsageError(`Cannot work on a tree with ${manager}: only s6 has trees.`, {
      hint: "Leave out --manager and GATEWARDEN_MANAGER.",
    });
  }
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

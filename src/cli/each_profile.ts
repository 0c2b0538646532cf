/** A verb on several profiles: each stands alone, and one that fails does not keep the others from their turn. */
import { UsageError } from "../errors.ts";
import type { Outcome, ServiceManager, Verb as ActingVerb, VerbOptions } from "../manager.ts";
import { type Call, type CommonFlags, connect } from "./call.ts";
import { EXIT_DONE } from "./exit_codes.ts";
import { formatPlan } from "./format_plan.ts";
import { inOrder } from "./in_order.ts";
import type { TargetFlags } from "./settings.ts";

/** The flags of a verb that acts. */
export interface ActingFlags extends CommonFlags, TargetFlags {
  readonly dryRun?: boolean;
  readonly timeout?: number;
}

/** The flags of a verb that acts on several profiles. */
export interface EachFlags extends ActingFlags {
  readonly all?: boolean;
  readonly noWait?: boolean;
}

/** How many profiles are worked on at a time: each may keep some programs of the manager running. */
const AT_A_TIME = 16;

/** What is done to each profile, and what is said when it is done. */
export interface EachAction {
  readonly verb: ActingVerb;
  readonly act: (manager: ServiceManager, profile: string, options: VerbOptions) => Promise<Outcome>;
  readonly done: (profile: string) => string;
}

/**
 * Acts on the named profiles, or on all that are registered; results come in the order given.
 *
 * @returns The exit code of the first that failed, 0 when none did.
 * @throws {UsageError} When no profile is named, or some are and `--all` is given too.
 */
export async function onEachProfile(
  call: Call<EachFlags>,
  names: readonly string[],
  action: EachAction,
): Promise<number> {
  const { flags, output } = call;
  assertNamed(action.verb, flags, names);
  const manager = await connect(call);
  const profiles = flags.all === true ? await manager.listProfileGateways() : [...new Set(names)];
  if (profiles.length === 0) output.note(`No gateway is registered: there is nothing to ${action.verb}.`);
  return flags.dryRun === true
    ? await planEach(call, manager, profiles, action)
    : await actOnEach(call, manager, profiles, action);
}

function assertNamed(verb: string, { all = false }: EachFlags, names: readonly string[]): void {
  if (names.length === 0 && !all) {
    throw new UsageError(`Cannot ${verb}: no profile is named.`, {
      hint: `Name one or more: gatewarden ${verb} PROFILE...`,
    });
  }
  if (names.length > 0 && all) {
    throw new UsageError(`Cannot ${verb}: profiles are named, and --all is given too.`, {
      hint: "Leave out the names, or --all.",
    });
  }
}

async function actOnEach(
  { flags, output }: Call<EachFlags>,
  manager: ServiceManager,
  profiles: readonly string[],
  { verb, act, done }: EachAction,
): Promise<number> {
  const options = optionsOf(flags);
  const documents: unknown[] = [];
  let exitCode = EXIT_DONE;
  await inOrder(profiles, AT_A_TIME, (profile) => act(manager, profile, options), (profile, result) => {
    if (result.status === "rejected") {
      const { code, message, hint, exitCode: failed } = output.fail(result.reason, profile);
      documents.push({ profile, verb, ok: false, warnings: [], error: { code, message, hint } });
      exitCode ||= failed;
      return;
    }
    const { warnings } = result.value;
    output.say(done(profile));
    for (const warning of warnings) output.warn(warning);
    documents.push({ profile, verb, ok: true, warnings });
  });
  if (output.json) output.printJson(documents);
  return exitCode;
}

async function planEach(
  { flags, output }: Call<EachFlags>,
  manager: ServiceManager,
  profiles: readonly string[],
  { verb }: EachAction,
): Promise<number> {
  const options = optionsOf(flags);
  const documents: unknown[] = [];
  let exitCode = EXIT_DONE;
  await inOrder(profiles, AT_A_TIME, (profile) => manager.plan(verb, profile, options), (profile, result) => {
    if (result.status === "rejected") {
      exitCode ||= output.fail(result.reason, profile).exitCode;
      return;
    }
    documents.push(result.value);
    if (output.json) return;
    if (profiles.length > 1) output.print(`# ${verb} ${profile}\n`);
    if (result.value.steps.length === 0) output.note(`Nothing to do to ${verb} "${profile}".`);
    output.print(formatPlan(result.value));
  });
  if (output.json) output.printJson(documents);
  return exitCode;
}

/** How the manager is asked to carry out a verb. */
export function optionsOf({ noWait, timeout }: EachFlags): VerbOptions {
  return {
    ...(noWait === true ? { wait: false } : {}),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
  };
}

/** One call of a verb: what every verb is given, and how it is carried out. */
import { HERMES } from "../gateway/definition.ts";
import type { ServiceManager, Step } from "../manager.ts";
import type { Settings } from "../registry.ts";
import { readDefinitionFile } from "./definition_file.ts";
import { formatStep } from "./format_plan.ts";
import { createOutput, type Output, type Streams } from "./output.ts";
import { type Environment, settingsOf, type TargetFlags } from "./settings.ts";

/** The flags of every verb. */
export interface CommonFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly noColor?: boolean;
}

/** What the command line needs from outside; tests bring their own. */
export interface Host {
  readonly streams: Streams;
  readonly environment: Environment;
  readonly getServiceManager: (settings: Settings) => Promise<ServiceManager>;
  /** The user who owns the tree that the settings choose, when root calls and it is another's. */
  readonly ownerToBecome: (settings: Settings) => Promise<string | undefined>;
  /** Runs the same command line as that user; gives its exit code. */
  readonly runAgainAs: (user: string, home: string) => Promise<number>;
}

/** What a verb is given. */
export interface Call<FLAGS> {
  readonly flags: FLAGS;
  readonly output: Output;
  readonly host: Host;
}

/** A verb: acts, prints, and gives back the exit code. What it throws is reported for it. */
export type Verb<FLAGS, ARGS extends readonly unknown[]> = (
  call: Call<FLAGS>,
  ...args: ARGS
) => Promise<number>;

/** Calls a verb and reports what it throws. */
export async function carryOut<FLAGS extends CommonFlags, ARGS extends readonly unknown[]>(
  verb: Verb<FLAGS, ARGS>,
  host: Host,
  flags: FLAGS,
  args: ARGS,
): Promise<number> {
  const output = createOutput(host.streams, {
    json: flags.json === true,
    quiet: flags.quiet === true,
    color: flags.noColor !== true && host.environment("NO_COLOR") === undefined,
    debug: host.environment("GATEWARDEN_DEBUG") !== undefined,
  });
  try {
    return await verb({ flags, output, host }, ...args);
  } catch (error) {
    return error instanceof RanAsOwner ? error.exitCode : output.fail(error).exitCode;
  }
}

/** The settings that the flags and the environment of a call choose. */
export async function settingsOfCall(
  { flags, output, host }: Call<TargetFlags>,
): Promise<Settings> {
  const settings = await settingsOf(flags, host.environment, readDefinitionFile);
  return { ...settings, onStep: (step: Step) => output.debug(formatStep(step)) };
}

/** The manager that a call is about. As root on another user's tree, the call goes on as that user. */
export async function connect(call: Call<TargetFlags>): Promise<ServiceManager> {
  const settings = await settingsOfCall(call);
  if (settings.manager === undefined || settings.manager === "s6") await becomeOwner(call, settings);
  return await call.host.getServiceManager(settings);
}

/** The call went on as another user and is over. */
class RanAsOwner {
  readonly exitCode: number;

  constructor(exitCode: number) {
    this.exitCode = exitCode;
  }
}

async function becomeOwner({ host }: Call<TargetFlags>, settings: Settings): Promise<void> {
  const owner = await host.ownerToBecome(settings);
  if (owner === undefined) return;
  const home = settings.definition?.home ?? HERMES.home;
  throw new RanAsOwner(await host.runAgainAs(owner, home));
}

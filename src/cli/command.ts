/** A verb of the command line: its flags and arguments are known at once, its module is loaded when it is called. */
import {
  type Aliases,
  type BaseArgs,
  type BaseFlags,
  buildCommand,
  type Command,
  type CommandContext,
  type FlagParametersForType,
  type TypedCommandParameters,
} from "@stricli/core";
import { carryOut, type CommonFlags, type Host, type Verb } from "./call.ts";

/** What a command is given besides its flags and arguments. */
export interface CliContext extends CommandContext {
  readonly host: Host;
  /** Called with the exit code of the verb. */
  readonly exit: (code: number) => void;
}

interface CommandOptions<FLAGS> {
  /** One line for the list of commands. */
  readonly brief: string;
  /** What the help of the command says instead of the line. */
  readonly description?: string;
  readonly flags: FlagParametersForType<FLAGS>;
  readonly aliases?: Aliases<keyof FLAGS & string>;
}

type Load<FLAGS, ARGS extends readonly string[]> = () => Promise<{ readonly default: Verb<FLAGS, ARGS> }>;

/** A command without arguments. */
export function command<FLAGS extends CommonFlags>(
  options: CommandOptions<FLAGS> & { readonly load: Load<FLAGS, []> },
): Command<CliContext> {
  return build(options, { kind: "tuple", parameters: [] }, options.load);
}

/** A command on one profile. */
export function profileCommand<FLAGS extends CommonFlags>(
  options: CommandOptions<FLAGS> & {
    readonly load: Load<FLAGS, [string]>;
  },
): Command<CliContext> {
  return build(options, { kind: "tuple", parameters: [PROFILE] }, options.load);
}

/** A command on any number of profiles. */
export function profilesCommand<FLAGS extends CommonFlags>(
  options: CommandOptions<FLAGS> & {
    readonly load: Load<FLAGS, string[]>;
  },
): Command<CliContext> {
  return build(options, { kind: "array", parameter: PROFILE }, options.load);
}

const PROFILE = { placeholder: "PROFILE", brief: "The name of a profile: coder", parse: String };

function build<FLAGS extends CommonFlags, ARGS extends readonly string[]>(
  { brief, description, flags, aliases }: CommandOptions<FLAGS>,
  positional: unknown,
  load: Load<FLAGS, ARGS>,
): Command<CliContext> {
  // The parser derives the type of each flag and argument from FLAGS and ARGS, and cannot while these are open; the
  // three functions above keep them in step.
  const parameters = {
    flags,
    aliases: { ...("quiet" in flags ? { q: "quiet" } : {}), ...aliases },
    positional,
  };
  return buildCommand<BaseFlags, BaseArgs, CliContext>({
    docs: { brief, ...(description === undefined ? {} : { fullDescription: description }) },
    parameters: parameters as unknown as TypedCommandParameters<BaseFlags, BaseArgs, CliContext>,
    loader: async () => {
      const { default: verb } = await load();
      return async function (this: CliContext, flags: BaseFlags, ...args: BaseArgs): Promise<void> {
        this.exit(await carryOut(verb, this.host, flags as FLAGS, args as unknown as ARGS));
      };
    },
  });
}

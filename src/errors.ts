/**
 * What went wrong, as classes that carry their data. A message says what could not be done, to what, and why;
 * `hint` says what to do next. The command line turns `exitCode` into its own (LSB's numbers).
 */

/** What every error of Gatewarden may carry besides its message. */
export interface GatewardenErrorOptions {
  /** What to do next, as a sentence. */
  readonly hint?: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
}

/** The parent of every error that Gatewarden throws on purpose. */
export abstract class GatewardenError extends Error {
  /** A stable name for programs, in kebab case: `gateway-not-registered`. */
  abstract readonly code: string;
  /** The exit code of the command line for this error. */
  readonly exitCode: number = 1;
  /** What to do next, as a sentence; empty when there is nothing to say. */
  readonly hint: string;

  /**
   * Makes the error.
   *
   * @param message What could not be done, to what, and why.
   * @param options `hint` and `cause`.
   */
  constructor(message: string, options: GatewardenErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint ?? "";
  }
}

/** The call itself is wrong: a bad value, flags that exclude each other. Exit code 2. */
export class UsageError extends GatewardenError {
  /** `usage` */
  readonly code: string = "usage";
  /** 2 */
  override readonly exitCode: number = 2;
}

/** A profile name breaks a rule. Exit code 2. */
export class InvalidProfileNameError extends GatewardenError {
  /** `invalid-profile-name` */
  readonly code: string = "invalid-profile-name";
  /** 2 */
  override readonly exitCode: number = 2;
  /** The name as it was given. */
  readonly profile: string;

  /**
   * Makes the error.
   *
   * @param profile The name as it was given.
   * @param rule The rule it breaks, as the end of "the name ...".
   */
  constructor(profile: string, rule: string) {
    super(`Cannot use ${JSON.stringify(profile)} as a profile name: ${rule}.`, {
      hint:
        "A profile name is made of lower-case letters, digits, '-' and '_', and starts with a letter or digit.",
    });
    this.profile = profile;
  }
}

/** The manager cannot do what was asked. Exit code 3. */
export class UnsupportedError extends GatewardenError {
  /** `unsupported` */
  readonly code: string = "unsupported";
  /** 3 */
  override readonly exitCode: number = 3;
}

/** No usable service manager was found on this machine. Exit code 3. */
export class NoServiceManagerError extends GatewardenError {
  /** `no-service-manager` */
  readonly code: string = "no-service-manager";
  /** 3 */
  override readonly exitCode: number = 3;
}

/** The caller may not do this, or doing it would be unsafe for this caller. Exit code 4. */
export class PermissionError extends GatewardenError {
  /** `permission` */
  readonly code: string = "permission";
  /** 4 */
  override readonly exitCode: number = 4;
}

/** The profile has no service. Exit code 5. */
export class GatewayNotRegisteredError extends GatewardenError {
  /** `gateway-not-registered` */
  readonly code: string = "gateway-not-registered";
  /** 5 */
  override readonly exitCode: number = 5;
  /** The profile as it was typed. */
  readonly profile: string;

  /**
   * Makes the error.
   *
   * @param verb What was asked: `start`.
   * @param profile The profile as it was typed.
   * @param hint What fits the state that was found: register it, or create it first.
   */
  constructor(verb: string, profile: string, hint: string) {
    super(`Cannot ${verb} "${profile}": no gateway of that name is registered.`, { hint });
    this.profile = profile;
  }
}

/** The profile already has a service. Exit code 1. */
export class GatewayAlreadyRegisteredError extends GatewardenError {
  /** `gateway-already-registered` */
  readonly code: string = "gateway-already-registered";
  /** The profile. */
  readonly profile: string;

  /**
   * Makes the error.
   *
   * @param profile The profile.
   * @param where The path that is already there.
   * @param cause The system's error, if there was one.
   */
  constructor(profile: string, where: string, cause?: unknown) {
    super(`Cannot register "${profile}": it is registered already, in ${where}.`, {
      hint: `To register it anew, run: gatewarden unregister ${profile}`,
      cause,
    });
    this.profile = profile;
  }
}

/** The user's own tree is there already. Exit code 1. */
export class TreeAlreadyInstalledError extends GatewardenError {
  /** `tree-already-installed` */
  readonly code: string = "tree-already-installed";
  /** The user whose tree it is. */
  readonly user: string;

  /**
   * Makes the error.
   *
   * @param user The user whose tree it is.
   * @param where The path that is already there.
   * @param cause The system's error, if there was one.
   */
  constructor(user: string, where: string, cause?: unknown) {
    super(`Cannot install a tree for ${user}: it is installed already, in ${where}.`, {
      hint: "To see whether it runs: gatewarden tree status",
      cause,
    });
    this.user = user;
  }
}

/** One thing that is wrong with a definition. */
export interface DefinitionIssue {
  /** The field, by path: `log.files`, `command.default[0]`; empty for the whole document. */
  readonly path: string;
  /** What is wrong with it. */
  readonly message: string;
}

/** A definition, or the file that should hold one, is wrong. Exit code 6. */
export class DefinitionError extends GatewardenError {
  /** `definition` */
  readonly code: string = "definition";
  /** 6 */
  override readonly exitCode: number = 6;
  /** Everything that is wrong, field by field. */
  readonly issues: readonly DefinitionIssue[];

  /**
   * Makes the error.
   *
   * @param source Where the definition came from: a file name, or "the definition".
   * @param issues Everything that is wrong; at least one.
   * @param cause The error that led here, if there was one.
   */
  constructor(source: string, issues: readonly DefinitionIssue[], cause?: unknown) {
    const lines = issues.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
    const one = lines.length === 1;
    super(
      one
        ? `Cannot use ${source}: ${lines[0]}.`
        : `Cannot use ${source}:\n${lines.map((line) => `  ${line}`).join("\n")}`,
      {
        hint: "The fields and their types are in definition.schema.json, which comes with Gatewarden.",
        cause,
      },
    );
    this.issues = issues;
  }
}

/** A program of s6 failed. Exit code 1. */
export class S6CommandError extends GatewardenError {
  /** `s6-command` */
  readonly code: string = "s6-command";
  /** The service it was about. */
  readonly service: string;
  /** What was being done: `start`. */
  readonly action: string;
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** The exit code of the program. */
  readonly commandExitCode: number;
  /** What it wrote to standard error. */
  readonly stderr: string;

  /**
   * Makes the error.
   *
   * @param details What was run for which service, and how it ended.
   */
  constructor(
    details: {
      readonly service: string;
      readonly action: string;
      readonly argv: readonly string[];
      readonly exitCode: number;
      readonly stderr: string;
      readonly hint?: string;
    },
  ) {
    const said = details.stderr.trim();
    super(
      `Cannot ${details.action} ${details.service}: ${
        details.argv.join(" ")
      } exited with ${details.exitCode}` +
        (said === "" ? "." : `: ${said}`),
      { hint: details.hint ?? "" },
    );
    this.service = details.service;
    this.action = details.action;
    this.argv = details.argv;
    this.commandExitCode = details.exitCode;
    this.stderr = details.stderr;
  }
}

/** Something did not come true within its time limit. Exit code 1. */
export class TimeoutError extends GatewardenError {
  /** `timeout` */
  readonly code: string = "timeout";
  /** The limit, in milliseconds. */
  readonly limitMs: number;
  /** What was still so when the limit was reached. */
  readonly stillThere: string;

  /**
   * Makes the error.
   *
   * @param details What could not be done, the limit in milliseconds, and what was still so.
   */
  constructor(
    details: {
      readonly what: string;
      readonly limitMs: number;
      readonly stillThere: string;
      readonly hint?: string;
    },
  ) {
    super(`Cannot ${details.what} within ${details.limitMs / 1000} s: ${details.stillThere}.`, {
      hint: details.hint ?? "",
    });
    this.limitMs = details.limitMs;
    this.stillThere = details.stillThere;
  }
}

/** The gateway came up and went down again at once, or its process is the old one. Exit code 1. */
export class GatewayFailedError extends GatewardenError {
  /** `gateway-failed` */
  readonly code: string = "gateway-failed";
}

/** A verb needs a gateway that runs, and it does not. Exit code 7. */
export class GatewayNotRunningError extends GatewardenError {
  /** `gateway-not-running` */
  readonly code: string = "gateway-not-running";
  /** 7 */
  override readonly exitCode: number = 7;
}

/** A program is not installed. Exit code 1. */
export class ProgramNotFoundError extends GatewardenError {
  /** `program-not-found` */
  readonly code: string = "program-not-found";
  /** The program's name. */
  readonly program: string;

  /**
   * Makes the error.
   *
   * @param program The program's name.
   * @param hint How to get it.
   */
  constructor(program: string, hint: string) {
    super(`Cannot find ${program}: it is neither in /command nor on PATH.`, { hint });
    this.program = program;
  }
}

/** The file system refused: full, read-only, or something that should not be there. Exit code 1. */
export class FileError extends GatewardenError {
  /** `file` */
  readonly code: string = "file";
}

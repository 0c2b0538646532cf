import process from "node:process";
import { GatewayNotRegisteredError, UnsupportedError } from "../../errors.ts";
import { type GatewayDefinition, HERMES } from "../../gateway/definition.ts";
import { findUser } from "../../host/facts.ts";
import { onInterruption } from "../../host/interruption.ts";
import type { LogFolder } from "../../host/log_files.ts";
import { readLog } from "../../host/read_log.ts";
import type { ServiceManager } from "../../manager.ts";
import { type Call, type CommonFlags, connect, settingsOfCall } from "../call.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import { linesSince } from "../log_time.ts";
import type { Output } from "../output.ts";
import type { TargetFlags } from "../settings.ts";

/** The flags of `logs`. */
export interface LogsFlags extends Omit<CommonFlags, "json">, TargetFlags {
  readonly follow?: boolean;
  readonly lines?: number;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

/** How many lines `--follow` begins with. */
const FOLLOW_LINES = 10;

/** `gatewarden logs PROFILE` */
export default async function logs(call: Call<LogsFlags>, profile: string): Promise<number> {
  const { flags, output } = call;
  const manager = await connect(call);
  const settings = await settingsOfCall(call);
  const directory = await manager.logDirectory(profile);
  if (directory === undefined) {
    throw new UnsupportedError(`Cannot show the log of "${profile}": ${manager.kind} keeps it itself.`);
  }
  const folder = logFolder(directory, settings.definition ?? HERMES, output);
  const printed = await show(folder, flags, output);
  if (!printed) await explainSilence(manager, profile, directory, output);
  return EXIT_DONE;
}

/** Root reads only what the service user wrote: anything else got there through a link that somebody planted. */
function logFolder(path: string, { user, fallbackId }: GatewayDefinition, output: Output): LogFolder {
  const refused = new Set<string>();
  return {
    path,
    ...(process.getuid?.() === 0 ? { owner: findUser(user)?.uid ?? fallbackId } : {}),
    onRefused: (name, reason) => {
      if (!refused.has(name)) output.warn(`Left out ${path}/${name}: ${reason}.`);
      refused.add(name);
    },
  };
}

/** Prints the log. Gives back whether there was anything to print. */
async function show(folder: LogFolder, flags: LogsFlags, output: Output): Promise<boolean> {
  const interruption = onInterruption();
  const ended = AbortSignal.any([interruption.signal, output.closed]);
  const lines = flags.lines ?? (flags.follow && flags.since === undefined ? FOLLOW_LINES : undefined);
  let printed = false;
  try {
    const chunks = readLog(folder, {
      ...(lines === undefined ? {} : { lines }),
      ...(flags.follow ? { followUntil: ended } : {}),
    });
    for await (const chunk of flags.since === undefined ? chunks : linesSince(chunks, flags.since)) {
      if (ended.aborted) break;
      output.print(chunk);
      printed = true;
    }
  } finally {
    interruption.close();
  }
  return printed || ended.aborted;
}

async function explainSilence(
  manager: ServiceManager,
  profile: string,
  directory: string,
  output: Output,
): Promise<void> {
  const { state } = await manager.status(profile);
  if (state === "unregistered") {
    throw new GatewayNotRegisteredError(
      "show the log of",
      profile,
      `Register it with: gatewarden register ${profile}`,
    );
  }
  output.note(`Nothing to show: the log in ${directory} has no such lines.`);
}

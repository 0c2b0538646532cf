/** What went wrong, in words that fit what was found. */
import { GatewayFailedError } from "../errors.ts";
import type { Status, Verb } from "../manager.ts";

/** What to do about a profile without a slot. */
export function howToRegister(profile: string, folder: string, isThere: boolean): string {
  const register = `gatewarden register ${profile}`;
  return isThere
    ? `The profile is there. Register it with: ${register}`
    : `There is no profile of that name either (no folder ${folder}). Create it, then run: ${register}`;
}

/** What a verb that seemed to work has not done. */
export function notDone(verb: Verb, { pid }: Status): string {
  if (verb === "stop") return "it still runs";
  return pid === null ? "it is not up" : `its process is still the old one, ${pid}`;
}

/** The same failure, with how the gateway has ended and where to read more. */
export function explainFailure(
  error: GatewayFailedError,
  profile: string,
  status: Status,
): GatewayFailedError {
  const readMore = `Its log says more: gatewarden logs ${profile}`;
  return new GatewayFailedError(`${error.message} ${lastEnd(status)}`.trim(), {
    hint: error.hint === "" ? readMore : `${error.hint} ${readMore}`,
    cause: error,
  });
}

/** How the last process ended, as a sentence. */
function lastEnd({ exitCode, signal, parkedReason }: Status): string {
  if (parkedReason !== null) return `It is parked: ${parkedReason}.`;
  if (signal !== null) return `It was killed by ${signal}.`;
  return exitCode === null ? "" : `It ended with exit code ${exitCode}.`;
}

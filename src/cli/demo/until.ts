/** Waiting for something to come true. */
import { setTimeout as delay } from "node:timers/promises";
import { TimeoutError } from "../../errors.ts";

const POLL_MS = 25;

/**
 * Asks again and again until there is an answer.
 *
 * @param what What is waited for, as the end of "Cannot ...".
 * @throws {TimeoutError} When there is none in time.
 */
export async function until<T>(
  what: string,
  limitMs: number,
  signal: AbortSignal,
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() - start >= limitMs) {
      throw new TimeoutError({ what, limitMs, stillThere: "it did not happen" });
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

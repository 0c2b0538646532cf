/** What an exit code means: whether the gateway is started again or stays down, parked. */

/** What follows an exit. */
export type ExitAction = "park" | "restart";

/** One line of the table. */
export interface ExitRule {
  /** Park (stay down until an operator starts it) or restart. */
  readonly action: ExitAction;
  /** Why, for people: "finished on purpose". */
  readonly meaning: string;
}

/** The exit codes that mean something, 0 to 255. Any other code, and death by any signal, restarts. */
export type ExitPolicy = Readonly<Record<number, ExitRule>>;

/** 0 and 78 (EX_CONFIG of sysexits.h) park, 75 (EX_TEMPFAIL) restarts and is no failure. */
export const DEFAULT_EXIT_POLICY: ExitPolicy = {
  0: { action: "park", meaning: "finished on purpose" },
  75: { action: "restart", meaning: "asked to be restarted (EX_TEMPFAIL)" },
  78: { action: "park", meaning: "configuration error (EX_CONFIG)" },
};

/**
 * Decides what follows an exit.
 *
 * @param policy The table.
 * @param exitCode The exit code; anything that is not in the table restarts, s6's 256 for a signal included.
 */
export function exitRule(policy: ExitPolicy, exitCode: number): ExitRule {
  return policy[exitCode] ?? { action: "restart", meaning: "ended unexpectedly" };
}

/** The codes with the given action, in rising order. */
export function exitCodes(policy: ExitPolicy, action: ExitAction): number[] {
  return Object.entries(policy).filter(([, rule]) => rule.action === action).map(([code]) => Number(code))
    .sort(
      (a, b) => a - b,
    );
}

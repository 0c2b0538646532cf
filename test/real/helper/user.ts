/** The user that the trees of these tests run as. */
import process from "node:process";

const calledByRoot = process.getuid?.() === 0;

/** No user of any machine; the caller itself where the caller is not root. */
export const uid: number = calledByRoot ? 54321 : process.getuid?.() ?? 0;
/** Its group. */
export const gid: number = calledByRoot ? 54321 : process.getgid?.() ?? 0;

/** A command as that user. */
export function asUser(argv: readonly string[]): [program: string, ...parameters: string[]] {
  const drop = ["s6-applyuidgid", "-u", String(uid), "-g", String(gid), "-G", ""];
  const [program = "", ...parameters] = calledByRoot ? [...drop, ...argv] : argv;
  return [program, ...parameters];
}

/** Host facts -> which manager, and why. */
import type { Detection, HostFacts, ServiceManagerKind } from "./manager.ts";

type Judgement = { readonly found: boolean; readonly reason: string };

function judgeS6({ pid1, s6Basedir }: HostFacts): Judgement {
  if (pid1 === undefined) return { found: false, reason: "the name of process 1 cannot be read" };
  if (pid1 !== "s6-svscan") return { found: false, reason: `process 1 is ${pid1}, not s6-svscan` };
  if (!s6Basedir) {
    return { found: false, reason: "process 1 is s6-svscan, but /run/s6/basedir is not a folder" };
  }
  return { found: true, reason: "process 1 is s6-svscan, and /run/s6/basedir is a folder" };
}

function judgeWindows({ platform }: HostFacts): Judgement {
  const found = platform === "win32";
  return { found, reason: found ? "this is Windows" : "this is not Windows" };
}

function judgeLaunchd({ platform }: HostFacts): Judgement {
  const found = platform === "darwin";
  return { found, reason: found ? "this is macOS" : "this is not macOS" };
}

function judgeSystemd({ platform, systemdBooted, systemctl }: HostFacts): Judgement {
  if (platform !== "linux") return { found: false, reason: "this is not Linux" };
  if (!systemdBooted) {
    return { found: false, reason: "/run/systemd/system is not there, so systemd does not run" };
  }
  if (!systemctl) return { found: false, reason: "systemd runs, but there is no systemctl on PATH" };
  return { found: true, reason: "/run/systemd/system is there, and systemctl is on PATH" };
}

/**
 * Tells which manager to use, from what runs and never from what is merely installed: s6, Windows, launchd, systemd,
 * in this order.
 *
 * @param facts What the machine is; `readHostFacts()` reads them.
 * @returns The manager or `none`, and the reason for each.
 *
 * @example
 * ```ts
 * import { detect } from "gatewarden";
 * detect({
 *   platform: "linux",
 *   pid1: "s6-svscan",
 *   s6Basedir: true,
 *   withContenv: true,
 *   systemdBooted: false,
 *   systemctl: false,
 * }).kind; // "s6"
 * ```
 */
export function detect(facts: HostFacts): Detection {
  const judges: readonly [ServiceManagerKind, (facts: HostFacts) => Judgement][] = [
    ["s6", judgeS6],
    ["windows", judgeWindows],
    ["launchd", judgeLaunchd],
    ["systemd", judgeSystemd],
  ];
  const considered = judges.map(([kind, judge]) => ({ kind, ...judge(facts) }));
  const first = considered.find(({ found }) => found);
  return first === undefined
    ? {
      kind: "none",
      reason: considered.map(({ kind, reason }) => `${kind}: ${reason}`).join("; "),
      considered,
    }
    : { kind: first.kind, reason: first.reason, considered };
}

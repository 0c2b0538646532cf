/**
 * A verb -> steps on an s6 scandir.
 * https://skarnet.org/software/s6/s6-svc.html, https://skarnet.org/software/s6/s6-svscanctl.html
 */
import { posix } from "node:path";
import type { Plan, RenderedFile, Step, Verb, VerbOptions } from "../manager.ts";
import { ENV_FOLDER } from "./envdir.ts";
import { retiredName, stagingName } from "./names.ts";
import { skeletonActions } from "./skeleton.ts";
import {
  bringUp,
  dismantle,
  markPlannedStop,
  publish,
  recordDesired,
  REGISTERING,
  type S6Context,
  type SlotFacts,
  slotPath,
  takeDown,
} from "./steps.ts";

/**
 * Builds a slot under a name s6-svscan does not look at, publishes it by one rename, and waits until it is supervised.
 * Of two callers, one fails at the rename.
 *
 * @param files The slot as rendered, at paths that start with the service's name.
 * @param startNow Whether the gateway is wanted up.
 */
export function planRegister(context: S6Context, files: readonly RenderedFile[], startNow: boolean): Plan {
  const staging = posix.join(context.scandir, stagingName(context.service, context.owner));
  const slot = slotPath(context);
  const log = files.some(({ path }) => path === `${context.service}/log/run`);
  const hasEnvironment = files.some(({ path }) => path.startsWith(`${context.service}/${ENV_FOLDER}/`));
  const steps: Step[] = [
    { do: "mkdir", path: staging, mode: 0o755, undo: [{ do: "remove", path: staging }] },
    ...["data", ...(log ? ["log"] : [])].map((name): Step => ({
      do: "mkdir",
      path: `${staging}/${name}`,
      mode: 0o755,
    })),
    ...(hasEnvironment ? [{ do: "mkdir", path: `${staging}/${ENV_FOLDER}`, mode: 0o700 } as const] : []),
    ...files.map(({ path, mode, text }): Step => ({
      do: "write",
      path: posix.join(staging, posix.relative(context.service, path)),
      mode,
      text,
    })),
    { do: "write", path: `${staging}/${REGISTERING}`, mode: 0o644, text: `${context.owner}\n` },
    ...skeletonActions(staging, { log, group: context.group }),
    {
      do: "rename",
      from: staging,
      to: slot,
      undo: [{ do: "rename", from: slot, to: staging }, ...dismantle(context, staging, log)],
    },
    ...publish(context, log, startNow),
  ];
  return plan("register", context, steps);
}

/** Finishes a registration whose caller was killed after it had published the slot. */
export function planFinishRegistration(context: S6Context, startNow: boolean): Plan {
  return plan("register", context, [
    ...publish(context, true, startNow),
  ]);
}

/** Stops the gateway, takes its slot out of the scandir, and deletes it once supervisor and logger are gone. */
export function planUnregister(context: S6Context, slot: SlotFacts, options: VerbOptions = {}): Plan {
  const from = slotPath(context);
  const retired = posix.join(context.scandir, retiredName(context.service, context.owner));
  return plan("unregister", context, [
    ...(slot.supervised ? [...markPlannedStop(context, slot), ...takeDown(context, slot, options)] : []),
    // While there is a slot: once it is gone, a run that was killed has nothing to be run again for.
    ...recordDesired(context, "stopped", "unregister"),
    { do: "rename", from, to: retired },
    ...dismantle(context, retired, slot.log),
  ]);
}

/** Ends the supervision of what a killed run left behind under a dot name, and deletes it. */
export function planSweep(context: S6Context, leftover: string, log: boolean): Plan {
  // Whose it was does not matter, and errors are to name what is there.
  const about = { ...context, service: leftover };
  return plan("unregister", about, dismantle(context, posix.join(context.scandir, leftover), log));
}

/** Brings a gateway up, parked or stopped before, and sees that it stays up. */
export function planStart(context: S6Context, slot: SlotFacts, options: VerbOptions = {}): Plan {
  return plan("start", context, [
    ...bringUp(context, slot, options),
    ...recordDesired(context, "running", "start"),
  ]);
}

/** Takes a gateway down and keeps it down. */
export function planStop(context: S6Context, slot: SlotFacts, options: VerbOptions = {}): Plan {
  const path = `${slotPath(context)}/down`;
  const keepDown: Step = { do: "write", path, mode: 0o644, text: "", undo: [{ do: "remove", path }] };
  return plan("stop", context, [
    ...markPlannedStop(context, slot),
    ...(slot.own && !slot.down ? [keepDown] : []),
    ...takeDown(context, slot, options),
    ...recordDesired(context, "stopped", "stop"),
  ]);
}

/**
 * Takes a gateway down and brings it up again: a new process, whatever it was before. `s6-svc -r` would not do, because
 * an exit with 0 parks. The stop is always waited for, and only then is a start asked for.
 */
export function planRestart(context: S6Context, slot: SlotFacts, options: VerbOptions = {}): Plan {
  return plan("restart", context, [
    ...takeDown(context, slot, { ...options, wait: true }),
    ...bringUp(context, slot, options),
    ...recordDesired(context, "running", "restart"),
  ]);
}

function plan(verb: Verb, { profile, service }: S6Context, steps: readonly Step[]): Plan {
  return { verb, profile, service, steps };
}

import type { Call } from "../call.ts";
import { type EachFlags, onEachProfile } from "../each_profile.ts";

/** `gatewarden restart PROFILE...` */
export default async function restart(call: Call<EachFlags>, ...profiles: string[]): Promise<number> {
  return await onEachProfile(call, profiles, {
    verb: "restart",
    act: (manager, profile, options) => manager.restart(profile, options),
    done: (profile) => call.flags.noWait ? `Asked "${profile}" to restart.` : `Restarted "${profile}".`,
  });
}

import type { Call } from "../call.ts";
import { type EachFlags, onEachProfile } from "../each_profile.ts";

/** `gatewarden start PROFILE...` */
export default async function start(call: Call<EachFlags>, ...profiles: string[]): Promise<number> {
  return await onEachProfile(call, profiles, {
    verb: "start",
    act: (manager, profile, options) => manager.start(profile, options),
    done: (profile) => call.flags.noWait ? `Asked "${profile}" to start.` : `Started "${profile}".`,
  });
}

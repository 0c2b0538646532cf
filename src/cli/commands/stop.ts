import type { Call } from "../call.ts";
import { type EachFlags, onEachProfile } from "../each_profile.ts";

/** `gatewarden stop PROFILE...` */
export default async function stop(call: Call<EachFlags>, ...profiles: string[]): Promise<number> {
  return await onEachProfile(call, profiles, {
    verb: "stop",
    act: (manager, profile, options) => manager.stop(profile, options),
    done: (profile) => call.flags.noWait ? `Asked "${profile}" to stop.` : `Stopped "${profile}".`,
  });
}

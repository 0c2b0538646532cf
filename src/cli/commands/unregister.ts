import type { Call } from "../call.ts";
import { type EachFlags, onEachProfile } from "../each_profile.ts";

/** `gatewarden unregister PROFILE...` */
export default async function unregister(call: Call<EachFlags>, ...profiles: string[]): Promise<number> {
  return await onEachProfile(call, profiles, {
    verb: "unregister",
    act: (manager, profile, options) => manager.unregisterProfileGateway(profile, options),
    done: (profile) => `"${profile}" is not registered any more.`,
  });
}

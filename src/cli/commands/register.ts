import type { Call } from "../call.ts";
import { connect } from "../call.ts";
import { type ActingFlags, optionsOf } from "../each_profile.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import { formatPlan } from "../format_plan.ts";
import { type RegisterFlags, registerOptionsOf } from "../register_options.ts";
import { planForJson } from "../without_secrets.ts";

/** `gatewarden register PROFILE` */
export default async function register(
  call: Call<ActingFlags & RegisterFlags>,
  profile: string,
): Promise<number> {
  const { flags, output } = call;
  // First as whom: on a tree of the service user's own, that user reads the file of --env-from.
  const manager = await connect(call);
  const options = { ...optionsOf(flags), ...await registerOptionsOf(flags) };
  if (flags.dryRun) {
    const plan = await manager.plan("register", profile, options);
    if (output.json) output.printJson(planForJson(plan));
    else output.print(formatPlan(plan));
    return EXIT_DONE;
  }
  const { warnings } = await manager.registerProfileGateway(profile, options);
  output.say(
    options.startNow ? `Registered and started "${profile}".` : `Registered "${profile}"; it is down.`,
  );
  for (const warning of warnings) output.warn(warning);
  if (output.json) output.printJson({ profile, verb: "register", ok: true, warnings });
  return EXIT_DONE;
}

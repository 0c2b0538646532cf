import { type Call, type CommonFlags, connect } from "../call.ts";
import { EXIT_DONE } from "../exit_codes.ts";
import type { TargetFlags } from "../settings.ts";

/** `gatewarden list` */
export default async function list(call: Call<CommonFlags & TargetFlags>): Promise<number> {
  const { output } = call;
  const profiles = await (await connect(call)).listProfileGateways();
  if (output.json) output.printJson(profiles);
  else output.print(profiles.map((profile) => `${profile}\n`).join(""));
  if (profiles.length === 0) output.note("No gateway is registered.");
  return EXIT_DONE;
}

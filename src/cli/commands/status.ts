import type { ServiceManager, Status } from "../../manager.ts";
import { type Call, type CommonFlags, connect } from "../call.ts";
import { EXIT_DONE, exitCodeOfStatus } from "../exit_codes.ts";
import { formatStatuses } from "../format_status.ts";
import { inOrder } from "../in_order.ts";
import type { TargetFlags } from "../settings.ts";

const AT_A_TIME = 16;

/** `gatewarden status [PROFILE...]` */
export default async function status(
  call: Call<CommonFlags & TargetFlags>,
  ...names: string[]
): Promise<number> {
  const { output } = call;
  const manager = await connect(call);
  const profiles = names.length === 0 ? await manager.listProfileGateways() : [...new Set(names)];
  const { statuses, exitCode } = await readEach(call, manager, profiles);
  if (output.json) output.printJson(statuses);
  else if (statuses.length > 0) output.print(formatStatuses(statuses, output.style));
  if (profiles.length === 0) output.note("No gateway is registered.");
  return exitCode || (names.length === 0 ? EXIT_DONE : exitCodeOfStatus(statuses));
}

/** The statuses that can be read; what cannot be read is reported, and gives the exit code. */
async function readEach(
  { output }: Call<unknown>,
  manager: ServiceManager,
  profiles: readonly string[],
): Promise<{ statuses: Status[]; exitCode: number }> {
  const statuses: Status[] = [];
  let exitCode = EXIT_DONE;
  await inOrder(profiles, AT_A_TIME, (profile) => manager.status(profile), (profile, result) => {
    if (result.status === "fulfilled") statuses.push(result.value);
    else exitCode ||= output.fail(result.reason, profile).exitCode;
  });
  return { statuses, exitCode };
}

import { treeStatus as readTreeStatus } from "../../s6/tree_manager.ts";
import type { Call, CommonFlags } from "../call.ts";
import { treeSettingsOf, type TreeTargetFlags } from "../change_tree.ts";
import { EXIT_DONE, EXIT_STATUS_DOWN, EXIT_STATUS_UNKNOWN } from "../exit_codes.ts";
import { formatTable } from "../table.ts";

/** `gatewarden tree status` */
export default async function treeStatus(call: Call<CommonFlags & TreeTargetFlags>): Promise<number> {
  const { output } = call;
  const status = await readTreeStatus(await treeSettingsOf(call));
  if (output.json) {
    output.printJson(status);
  } else {
    const state = status.running ? "running" : status.installed ? "stopped" : "not installed";
    const pid = status.pid === null ? "" : String(status.pid);
    output.print(
      formatTable(["USER", "STATE", "PID", "SCANDIR"], [[status.user, state, pid, status.scandir]]),
    );
  }
  if (status.running) return EXIT_DONE;
  return status.installed ? EXIT_STATUS_DOWN : EXIT_STATUS_UNKNOWN;
}

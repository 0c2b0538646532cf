import { detectServiceManager } from "../../registry.ts";
import { type Call, type CommonFlags, settingsOfCall } from "../call.ts";
import { EXIT_DONE, EXIT_UNSUPPORTED } from "../exit_codes.ts";
import { formatTable } from "../table.ts";

/** `gatewarden detect` */
export default async function detectVerb(call: Call<CommonFlags>): Promise<number> {
  const { output } = call;
  // It takes no flag that chooses: the variables count.
  const detection = await detectServiceManager(await settingsOfCall({ ...call, flags: {} }));
  const { kind, considered, scandir } = detection;
  if (output.json) {
    output.printJson(detection);
  } else {
    output.print(`${kind}\n`);
    output.print(formatTable(
      ["MANAGER", "FOUND", "REASON"],
      considered.map((one) => [one.kind, one.found ? "yes" : "no", one.reason]),
    ));
    if (scandir !== undefined) {
      output.print(`\n${formatTable(["SCANDIR", "REASON"], [[scandir.path, scandir.reason]])}`);
    }
  }
  return kind === "none" ? EXIT_UNSUPPORTED : EXIT_DONE;
}

import { detect } from "../../detect.ts";
import { readHostFacts } from "../../host/facts.ts";
import type { Call, CommonFlags } from "../call.ts";
import { EXIT_DONE, EXIT_UNSUPPORTED } from "../exit_codes.ts";
import { formatTable } from "../table.ts";

/** `gatewarden detect` */
export default function detectVerb({ output }: Call<CommonFlags>): Promise<number> {
  const detection = detect(readHostFacts());
  if (output.json) {
    output.printJson(detection);
  } else {
    output.print(`${detection.kind}\n`);
    output.print(formatTable(
      ["MANAGER", "FOUND", "REASON"],
      detection.considered.map(({ kind, found, reason }) => [kind, found ? "yes" : "no", reason]),
    ));
  }
  return Promise.resolve(detection.kind === "none" ? EXIT_UNSUPPORTED : EXIT_DONE);
}

import { runTree } from "../../s6/tree_manager.ts";
import type { Call } from "../call.ts";

/** The flags of `tree run`. */
export interface TreeRunFlags {
  readonly scandir?: string;
  readonly quiet?: boolean;
  readonly noColor?: boolean;
}

/** `gatewarden tree run` */
export default async function treeRun({ flags, output }: Call<TreeRunFlags>): Promise<number> {
  return await runTree(
    flags.scandir,
    (scandir) => output.note(`s6-svscan watches ${scandir}. To end it, press Ctrl-C.`),
  );
}

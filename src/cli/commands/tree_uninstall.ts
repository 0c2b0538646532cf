import { planUninstall, uninstallTree } from "../../s6/tree_manager.ts";
import type { Call } from "../call.ts";
import { changeTree, type TreeFlags } from "../change_tree.ts";

/** `gatewarden tree uninstall` */
export default async function treeUninstall(call: Call<TreeFlags>): Promise<number> {
  return await changeTree(call, {
    plan: planUninstall,
    act: uninstallTree,
    done: (user) => `There is no tree of ${user} any more.`,
  });
}

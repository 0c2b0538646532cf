import { installTree, planInstall } from "../../s6/tree_manager.ts";
import type { Call } from "../call.ts";
import { changeTree, type TreeFlags } from "../change_tree.ts";

/** `gatewarden tree install` */
export default async function treeInstall(call: Call<TreeFlags>): Promise<number> {
  return await changeTree(call, {
    plan: (settings) => Promise.resolve().then(() => planInstall(settings)),
    act: installTree,
    done: (user) => `The tree of ${user} runs.`,
  });
}

import type { Call, CommonFlags } from "../call.ts";

/** `gatewarden demo` */
export default function demo(_call: Call<Pick<CommonFlags, "noColor">>): Promise<number> {
  return Promise.resolve(0);
}

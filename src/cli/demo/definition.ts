/** What the demonstration runs: the gateway next to this file, by the runtime that runs this. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { DEFAULT_EXIT_POLICY } from "../../gateway/exit_policy.ts";
import type { GatewayDefinition } from "../../gateway/definition.ts";

/** Runs the demonstration's gateway as `user`, in `home`. */
export function demoDefinition(home: string, user: string, uid: number): GatewayDefinition {
  const gateway = gatewayCommand(home);
  return {
    name: "demo",
    servicePrefix: "gateway-",
    user,
    fallbackId: uid,
    home,
    homeVariable: "GATEWARDEN_DEMO_HOME",
    command: { default: gateway, named: [...gateway, "{profile}"] },
    environment: {},
    supervisedMarkers: [],
    path: [],
    exitPolicy: DEFAULT_EXIT_POLICY,
    log: {
      directory: "logs/{profile}",
      files: 10,
      fileBytes: 1_000_000,
      timestamp: "iso",
      copyToStandardOutput: false,
    },
    stop: { signal: "SIGTERM", drainSeconds: 5, graceSeconds: 2 },
  };
}

function gatewayCommand(home: string): string[] {
  const script = fileURLToPath(
    new URL(import.meta.url.endsWith(".ts") ? "./gateway.ts" : "./gateway.js", import.meta.url),
  );
  if ("deno" in process.versions) {
    const permissions = ["--allow-net=127.0.0.1", `--allow-read=${home}`, `--allow-write=${home}`];
    return [process.execPath, "run", "--quiet", "--no-prompt", "--no-config", ...permissions, script];
  }
  // What Node was started with loads TypeScript, where this is TypeScript.
  return [process.execPath, ...process.execArgv, script];
}

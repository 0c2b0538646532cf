import { describe, expect, it } from "vitest";
import * as gatewarden from "../src/mod.ts";

describe("the library", () => {
  it("exports these values", () => {
    expect(Object.keys(gatewarden).sort()).toEqual([
      "DEFAULT_EXIT_POLICY",
      "DEFAULT_PROFILE",
      "DefinitionError",
      "FileError",
      "GatewardenError",
      "GatewayAlreadyRegisteredError",
      "GatewayFailedError",
      "GatewayNotRegisteredError",
      "GatewayNotRunningError",
      "HERMES",
      "InvalidProfileNameError",
      "NoServiceManagerError",
      "PermissionError",
      "ProgramNotFoundError",
      "S6CommandError",
      "S6ServiceManager",
      "TimeoutError",
      "TreeAlreadyInstalledError",
      "UnsupportedError",
      "UsageError",
      "commandOf",
      "detect",
      "detectServiceManager",
      "getServiceManager",
      "loadDefinition",
      "quoteSh",
      "seedSuperviseSkeleton",
      "validateProfileName",
    ]);
  });
});

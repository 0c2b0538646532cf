/**
 * Gatewarden as a library: one definition of a long-lived gateway, run by the service manager that the machine
 * already has.
 *
 * @example
 * ```ts ignore
 * import { getServiceManager } from "gatewarden";
 * const manager = await getServiceManager();
 * await manager.registerProfileGateway("coder", { extraEnv: { PORT: "8080" } });
 * console.log(await manager.status("coder"));
 * ```
 *
 * @module
 */
export { detectServiceManager, getServiceManager, type Settings } from "./registry.ts";
export { detect } from "./detect.ts";
export { S6ServiceManager, type S6Settings } from "./s6/manager.ts";
export { type SeedOptions, seedSuperviseSkeleton } from "./s6/seed.ts";
export {
  commandOf,
  type GatewayDefinition,
  HERMES,
  type LogSettings,
  type StopSettings,
} from "./gateway/definition.ts";
export { loadDefinition } from "./gateway/load_definition.ts";
export {
  DEFAULT_EXIT_POLICY,
  type ExitAction,
  type ExitPolicy,
  type ExitRule,
} from "./gateway/exit_policy.ts";
export { DEFAULT_PROFILE, type Naming, validateProfileName } from "./gateway/profile.ts";
export { quoteSh } from "./quote/sh.ts";
export type {
  Action,
  Condition,
  Desired,
  Detection,
  Failure,
  HostFacts,
  Outcome,
  Plan,
  RegisterOptions,
  RenderedFile,
  ServiceManager,
  ServiceManagerKind,
  State,
  Status,
  Step,
  UndoStep,
  Verb,
  VerbOptions,
} from "./manager.ts";
export {
  DefinitionError,
  type DefinitionIssue,
  FileError,
  GatewardenError,
  type GatewardenErrorOptions,
  GatewayAlreadyRegisteredError,
  GatewayFailedError,
  GatewayNotRegisteredError,
  GatewayNotRunningError,
  InvalidProfileNameError,
  NoServiceManagerError,
  PermissionError,
  ProgramNotFoundError,
  S6CommandError,
  TimeoutError,
  TreeAlreadyInstalledError,
  UnsupportedError,
  UsageError,
} from "./errors.ts";

/** Profile names and the service names made of them. */
import { InvalidProfileNameError } from "../errors.ts";

/** The root profile: its folder is the home itself. */
export const DEFAULT_PROFILE = "default";

/** The longest service name s6-svscan takes, in bytes (s6-svscan(8), "Notes"). */
export const SERVICE_NAME_MAX = 251;

/** What of a definition the names depend on. */
export interface Naming {
  /** What a service name starts with: `gateway-`. */
  readonly servicePrefix: string;
}

/**
 * Checks a profile name and gives it back.
 *
 * The name matches `[a-z0-9][a-z0-9_-]*` from its first to its last character, and the service name made of it has
 * at most 251 bytes, s6-svscan's limit. Names of temporary folders are cut to fit, so they set no further limit.
 *
 * @param profile The name as it was given.
 * @param naming The prefix of the service name; by default `gateway-`.
 * @returns The same name.
 * @throws {InvalidProfileNameError} The message says which rule the name breaks.
 *
 * @example
 * ```ts
 * import { validateProfileName } from "gatewarden";
 * validateProfileName("coder"); // "coder"
 * ```
 */
export function validateProfileName(profile: string, naming: Naming = { servicePrefix: "gateway-" }): string {
  if (profile === "") throw new InvalidProfileNameError(profile, "it is empty");
  if (!/^[a-z0-9]/.test(profile)) {
    throw new InvalidProfileNameError(profile, "it does not start with a lower-case letter or a digit");
  }
  const bad = [...profile].find((character) => !/[a-z0-9_-]/.test(character));
  if (bad !== undefined) {
    throw new InvalidProfileNameError(profile, `${JSON.stringify(bad)} is not allowed in it`);
  }
  const longest = SERVICE_NAME_MAX - naming.servicePrefix.length;
  if (profile.length > longest) {
    throw new InvalidProfileNameError(
      profile,
      `it has ${profile.length} characters, and at most ${longest} leave room for the service name`,
    );
  }
  return profile;
}

/**
 * The service of a profile: `gateway-coder`.
 *
 * @throws {InvalidProfileNameError} When the profile name breaks a rule.
 */
export function serviceName(profile: string, naming: Naming): string {
  return naming.servicePrefix + validateProfileName(profile, naming);
}

/** The profile of a service, or undefined for a service that is not one of ours. */
export function profileOfService(service: string, naming: Naming): string | undefined {
  if (!service.startsWith(naming.servicePrefix)) return undefined;
  const profile = service.slice(naming.servicePrefix.length);
  try {
    return validateProfileName(profile, naming);
  } catch {
    return undefined;
  }
}

/**
 * The folder of a profile on the volume: the volume itself for the root profile, `profiles/NAME` below it for others.
 *
 * @param volume What the home variable says. It may name a profile's folder: the volume is then two levels up.
 */
export function profileFolderOf(volume: string, profile: string): string {
  const root = volume.replace(/\/+$/, "").replace(/\/profiles\/[a-z0-9][a-z0-9_-]*$/, "");
  return profile === DEFAULT_PROFILE ? root || "/" : `${root}/profiles/${profile}`;
}

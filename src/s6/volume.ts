/** The volume of a definition at run time, and what is recorded there. Reads only. */
import { posix } from "node:path";
import process from "node:process";
import type { GatewayDefinition } from "../gateway/definition.ts";
import {
  type Desired,
  DESIRED_STATE_FILE,
  GATEWAY_STATE_FILE,
  readDesiredState,
} from "../gateway/desired_state.ts";
import { DEFAULT_PROFILE, profileFolderOf } from "../gateway/profile.ts";
import { containerEnvironment } from "../host/facts.ts";
import { readSmallText } from "../host/files.ts";
import { isReachedThroughNoLink, withoutOwnLinks } from "../host/real_folder.ts";
/** The volume at run time: by the home variable as services get it, else as the caller has it, else the home. */
export function volumeOf({ homeVariable, home }: GatewayDefinition): string {
  // The scripts take an empty variable for one that is not set, too.
  return containerEnvironment(homeVariable) ?? (process.env[homeVariable] || home);
}

/** The folder of a profile, where its state files are: reached through no link but root's or the caller's own. */
export function profileFolder(definition: GatewayDefinition, profile: string): string {
  const volume = withoutOwnLinks(profileFolderOf(volumeOf(definition), DEFAULT_PROFILE));
  return profile === DEFAULT_PROFILE ? volume : posix.join(volume, "profiles", profile);
}

/** What the operator last asked for; null when that was never recorded. */
export function readDesired(definition: GatewayDefinition, profile: string): Desired | null {
  const folder = profileFolder(definition, profile);
  if (!isReachedThroughNoLink(folder)) return null;
  return readDesiredState({
    own: readSmallText(posix.join(folder, DESIRED_STATE_FILE)),
    gatewayState: readSmallText(posix.join(folder, GATEWAY_STATE_FILE)),
  });
}

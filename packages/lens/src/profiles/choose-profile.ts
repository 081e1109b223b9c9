import type { ProfileName } from "@residua/client";
import { acsProfile } from "./acs-profile.ts";
import { LensOptionError } from "./lens-option-error.ts";
import { type LensProfile, readLensProfile } from "./lens-profile.ts";
import { vllmProfile } from "./vllm-profile.ts";

/** The profiles that come with lens, by name. */
export const lensProfiles = { acs: acsProfile, vllm: vllmProfile } as const;

/** The profile that is given, else the client's. Throws `invalid_option`. */
export function chooseProfile(
  given: keyof typeof lensProfiles | LensProfile | undefined,
  client: ProfileName,
): LensProfile {
  if (typeof given === "object") return readLensProfile(given);
  const name = given ?? client;
  if (Object.hasOwn(lensProfiles, name)) return lensProfiles[name as keyof typeof lensProfiles];
  throw new LensOptionError(
    `profile ${JSON.stringify(name)} neither captures nor steers; allowed: ${Object.keys(lensProfiles).join(", ")}, or a profile as data`,
  );
}

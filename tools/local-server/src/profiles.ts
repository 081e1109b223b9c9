import { acsProfile } from "./acs/acs-profile.ts";
import { octoaiProfile } from "./octoai/octoai-profile.ts";
import type { Profile, ProfileName } from "./profile.ts";
import { vllmProfile } from "./vllm/vllm-profile.ts";

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  acs: acsProfile,
  vllm: vllmProfile,
  octoai: octoaiProfile,
};

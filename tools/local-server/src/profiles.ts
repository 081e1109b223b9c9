import type { Profile, ProfileName } from "./profile.ts";

/** Each is loaded when it is served: a server starts without the modules of the others. */
export const profiles: Readonly<Record<ProfileName, () => Promise<Profile>>> = {
  acs: async () => (await import("./acs/acs-profile.ts")).acsProfile,
  vllm: async () => (await import("./vllm/vllm-profile.ts")).vllmProfile,
  octoai: async () => (await import("./octoai/octoai-profile.ts")).octoaiProfile,
};

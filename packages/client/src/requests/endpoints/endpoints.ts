import type { ProfileName } from "../../profiles.ts";
import { acsCompletions } from "./acs-completions.ts";
import { acsJob } from "./acs-job.ts";
import type { Endpoint } from "./endpoint.ts";
import { octoaiCompletions } from "./octoai-completions.ts";
import {
  acsHealth,
  acsModels,
  octoaiModels,
  vllmHealth,
  vllmModels,
  vllmVersion,
} from "./query-endpoints.ts";
import { vllmCompletions } from "./vllm-completions.ts";
import { vllmDetokenize } from "./vllm-detokenize.ts";
import { vllmTokenize } from "./vllm-tokenize.ts";
import { vllmTokenizeChat } from "./vllm-tokenize-chat.ts";

/** The completion endpoint of each profile. */
export const completionEndpoints = {
  acs: acsCompletions,
  vllm: vllmCompletions,
  octoai: octoaiCompletions,
} as const;

/** Every endpoint, by profile. */
export const endpoints: Readonly<Record<ProfileName, readonly Endpoint[]>> = {
  acs: [acsCompletions, acsJob, acsModels, acsHealth],
  vllm: [
    vllmCompletions,
    vllmTokenize,
    vllmTokenizeChat,
    vllmDetokenize,
    vllmModels,
    vllmVersion,
    vllmHealth,
  ],
  octoai: [octoaiCompletions, octoaiModels],
};

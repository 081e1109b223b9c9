/** What kind of server a client talks to: the hosted API, vLLM with vllm-lens, or an OctoAI-style server. */
export type ProfileName = "acs" | "vllm" | "octoai";

/** Where a kind of server has its routes, under the base URL (which ends in `/v1`) or, with `root`, under its parent. */
export interface ProfilePaths {
  completions: string;
  models: string;
  /** No public page names the paths of jobs: these are an assumption, and can be set (`paths`). */
  jobs: string;
}

export const defaultPaths: ProfilePaths = {
  completions: "/completions",
  models: "/models",
  jobs: "/jobs/completions",
};

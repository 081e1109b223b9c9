/** Where the fields and rules are stated. Each name is the title of a page or the version of a program. */
export const sources = {
  completions: "Sample continuations (POST /v1/completions)",
  job: "Create Completion Job",
  vllm: "vLLM 0.30, completion protocol",
  sampling: "vLLM 0.30, sampling parameters",
  tokenize: "vLLM 0.30, tokenize protocol",
  server: "a vLLM 0.30 server, as observed",
  lens: "vllm-lens 1.3",
  octoai: "OctoAI, Create Completion",
  octoaiSDK: "OctoAI SDK 1.11",
} as const;

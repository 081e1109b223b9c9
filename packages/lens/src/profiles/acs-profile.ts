import type { LensProfile } from "./lens-profile.ts";

/** The hosted API. Source: Create Completion Job, and Sample continuations. */
export const acsProfile: LensProfile = {
  name: "acs",
  capture: {
    path: ["output_residual_stream"],
    form: "list",
    all: true,
    repeated: "refuse",
    fields: { prompt_logprobs: 0, logprobs: 1 },
  },
  answer: ["activations", "residual_stream"],
  steering: { path: ["apply_steering_vectors"], form: "list" },
  limits: {
    captureNumbers: 33_554_432,
    steeringVectors: 8,
    steeringNumbers: 2_097_152,
    steeringBase64: 524_288,
  },
  missing: [
    "the model has no engine for activations",
    "the server is a vLLM, which reads these fields in vllm_xargs: use the profile vllm",
    { cause: "no asked layer exists in the model", sign: "unknown_layers" },
    { cause: "a steering vector of the wrong width made the server drop the capture", sign: "steered" },
    { cause: "several choices or prompts in one request", sign: "several_choices" },
    "a proxy removed the field",
  ],
};

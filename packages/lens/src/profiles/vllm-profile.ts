import type { LensProfile } from "./lens-profile.ts";

/** vLLM with vllm-lens 1.2 to 1.3. Limits are the hosted API's: vllm-lens states none. */
export const vllmProfile: LensProfile = {
  name: "vllm",
  capture: {
    path: ["vllm_xargs", "output_residual_stream"],
    form: "json",
    all: "all",
    repeated: "merge",
    fields: { return_token_ids: true, prompt_logprobs: 0, logprobs: 1 },
  },
  answer: ["activations", "residual_stream"],
  steering: { path: ["vllm_xargs", "apply_steering_vectors"], form: "json" },
  cacheSalt: ["cache_salt"],
  skipCache: { path: ["vllm_xargs", "skip_reading_prefix_cache"], value: 1 },
  binary: {
    path: ["vllm_xargs", "activations_transport"],
    value: "binary",
    route: "/activations/{handle}",
  },
  hooks: {
    path: ["vllm_xargs", "apply_hooks"],
    routes: {
      register: "/hooks/register",
      collect: "/hooks/collect",
      clear: "/hooks/clear",
      clearResults: "/hooks/clear_results",
    },
  },
  limits: { captureNumbers: 33_554_432, steeringVectors: 8, steeringNumbers: 2_097_152 },
  missing: [
    "the plugin vllm-lens is not installed, or is switched off (VLLM_LENS_DISABLE)",
    "no asked layer exists in the model",
    "a steering vector of the wrong width, in this or a concurrent request, made the server drop the capture",
    "the server runs the V2 model runner or the Rust front end, which the plugin does not reach",
    "a proxy removed the field",
  ],
};

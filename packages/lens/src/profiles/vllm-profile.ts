import type { LensProfile } from "./lens-profile.ts";

const missing: LensProfile["missing"] = [
  {
    cause: "the plugin vllm-lens is not installed, or is switched off (VLLM_LENS_DISABLE)",
    sign: "no_plugin",
  },
  { cause: "no asked layer exists in the model", sign: "unknown_layers" },
  {
    cause:
      "a steering vector of the wrong width, in this or a concurrent request, made the server drop the capture",
    sign: "steered",
  },
  { cause: "several choices or prompts in one request", sign: "several_choices" },
  "the server runs the V2 model runner or the Rust front end, which the plugin does not reach",
  "a proxy removed the field",
];

/** vllm-lens 1.3, and what 1.2 shares with it. Limits are the hosted API's: vllm-lens states none. */
const newest: LensProfile = {
  name: "vllm-lens-1.3",
  version: "vllm-lens 1.3",
  capture: {
    path: ["vllm_xargs", "output_residual_stream"],
    form: "json",
    all: "all",
    repeated: "merge",
    // Texts of prompt tokens come from /tokenize: prompt_logprobs would cost a third more time.
    fields: { return_token_ids: true, logprobs: 1 },
  },
  answer: ["activations", "residual_stream"],
  steering: { path: ["vllm_xargs", "apply_steering_vectors"], form: "json", norm: "stream" },
  generateFields: { return_token_ids: true },
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
  pluginRoute: { method: "POST", path: "/hooks/collect" },
  missing,
};

const { binary: _binary, ...inline } = newest;
const { pluginRoute: _route, ...before12 } = inline;

/** Reads every text, whatever it says, as all layers; a real list is refused by the vLLM of its time. */
const firstForm: Omit<LensProfile, "name" | "version"> = {
  ...before12,
  capture: { ...newest.capture, gives: "all" },
  steering: { ...newest.steering, norm: "delta" },
};

/** What the releases of vllm-lens do differently. Source: its change log and its code. */
export const vllmLensProfiles = {
  "vllm-lens-1.0": { ...firstForm, name: "vllm-lens-1.0", version: "vllm-lens 1.0" },
  "vllm-lens-1.1": { ...firstForm, name: "vllm-lens-1.1", version: "vllm-lens 1.1" },
  "vllm-lens-1.2": { ...inline, name: "vllm-lens-1.2", version: "vllm-lens 1.2" },
  "vllm-lens-1.3": newest,
} as const satisfies Readonly<Record<string, LensProfile>>;

/** vLLM with vllm-lens 1.2 or 1.3. Binary transport is asked for only where the server is known to have it. */
export const vllmProfile: LensProfile = {
  ...newest,
  name: "vllm",
  version: "vllm-lens 1.2 or 1.3",
};

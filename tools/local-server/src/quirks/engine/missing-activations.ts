import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withoutLens } from "./without-lens.ts";

export const missingActivations = defineQuirk({
  name: "missing-activations",
  wrong: "capture and steering are switched off: a 200, unsteered, without activations",
  seen: "vllm-lens with VLLM_LENS_DISABLE=1, seen live; any vLLM without the plugin; hooks whose errors were only logged",
  caught: { by: "@residua/lens", code: "missing_activations" },
  profiles: lensProfiles,
  act: () => ({ generate: (requests, next) => next(requests.map(withoutLens)) }),
});

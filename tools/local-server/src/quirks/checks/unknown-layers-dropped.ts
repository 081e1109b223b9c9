import { defineQuirk, lensProfiles } from "../quirk.ts";

export const unknownLayersDropped = defineQuirk({
  name: "unknown-layers-dropped",
  wrong: "captured layers that the model lacks are left out under a 200, and so is a layer named twice",
  seen: 'vllm-lens 1.3.0 on vLLM 0.30.0, seen live: "[3,99]" gives one layer, "[99]" no activations',
  caught: {
    by: "@residua/lens",
    code: "layer_count",
    note: "missing_activations when no layer is left; refused before it is sent where the number of layers is known",
  },
  profiles: lensProfiles,
});

import { defineQuirk } from "../quirk.ts";

export const oddSelectorAllLayers = defineQuirk({
  name: "odd-selector-all-layers",
  wrong:
    'output_residual_stream that is no list ("15", 15, true, false, "null", text that is no JSON) captures every layer',
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live; all versions read",
  caught: {
    by: null,
    note: "lens sends a list of layers, or the word all; its layer_count fires where that is not read",
  },
  profiles: ["vllm"],
});

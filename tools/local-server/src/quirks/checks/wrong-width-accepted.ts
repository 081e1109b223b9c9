import { defineQuirk, lensProfiles } from "../quirk.ts";

export const wrongWidthAccepted = defineQuirk({
  name: "wrong-width-accepted",
  wrong:
    "a steering vector of another width than the model's is taken with a 200 and steers nothing, and its layers are missing from the capture",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live with 575, 577 and 1152 for 576; vllm-lens 1.2.1",
  caught: {
    by: "@residua/lens",
    code: "layer_count",
    note: "missing_activations when no layer is left; steering_width before it is sent, where the width is known",
  },
  profiles: lensProfiles,
});

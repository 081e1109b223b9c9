import type { WireSteeringVector } from "../../steering-schema.ts";
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

/** What such a server is left with: the vectors that fit, and the captured layers that no other vector names. */
export function dropWrongWidth(
  vectors: readonly WireSteeringVector[],
  layers: readonly number[],
  hiddenSize: number,
): { vectors: WireSteeringVector[]; layers: number[] } {
  const fits = ({ activations: { shape } }: WireSteeringVector) => shape.at(-1) === hiddenSize;
  const broken = new Set(vectors.filter((vector) => !fits(vector)).flatMap((vector) => vector.layer_indices));
  return { vectors: vectors.filter(fits), layers: layers.filter((layer) => !broken.has(layer)) };
}

import { defineQuirk, lensProfiles } from "../quirk.ts";
import { changeFrames } from "./change-tensor.ts";

export const truncatedZstd = defineQuirk({
  name: "truncated-zstd",
  wrong: "the zstd frame of a capture is cut in the middle; the JSON around it is whole",
  seen: "artefacts saved before the copy had ended (IBM vLLM-Hook); any proxy that limits a field",
  caught: { by: "@residua/lens", code: "tensor_truncated" },
  profiles: lensProfiles,
  act: () => ({
    answer: (response) => changeFrames(response, (frame) => frame.subarray(0, frame.length >> 1)),
  }),
});

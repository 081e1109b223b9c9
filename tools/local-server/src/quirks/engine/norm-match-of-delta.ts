import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withFaults } from "./with-faults.ts";

export const normMatchOfDelta = defineQuirk({
  name: "norm-match-of-delta",
  wrong:
    "norm_match takes the norm of the feed-forward output for that of the stream: the vector is much weaker",
  seen: "vllm-lens 1.1.0 and before on fused blocks (issues 7 and 15: a ratio of 1.71 where 4 was asked)",
  caught: { by: "@residua/lens", code: "steering_norm_match", note: "with verify: true" },
  profiles: lensProfiles,
  act: () => ({ generate: (requests, next) => next(requests.map(withFaults({ normMatchDelta: true }))) }),
});

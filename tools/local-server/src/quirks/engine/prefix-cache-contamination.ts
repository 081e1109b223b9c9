import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withFaults } from "./with-faults.ts";

export const prefixCacheContamination = defineQuirk({
  name: "prefix-cache-contamination",
  wrong:
    "what a steered request leaves in the prefix cache is taken for that of its plain text: later plain requests of the same prompt are steered in part",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live in 3 runs of 3; RhizoNymph (commit 507759938)",
  caught: {
    by: null,
    note: "a self-test sees it; a cache_salt of its own on each steered request, which lens sends where the server has one, avoids it",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next) =>
      next(
        requests.map((request) =>
          request.steering === undefined ? request : withFaults({ shareSteeredCache: true })(request),
        ),
      ),
  }),
});

import { withoutFirstRows, type GenerationRequest } from "@residua/engine";
import { changeCapture } from "./change-capture.ts";
import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withFaults } from "./with-faults.ts";

export const prefixCacheGap = defineQuirk({
  name: "prefix-cache-gap",
  wrong: "a capture lacks the rows of the prompt's first blocks when the prefix cache has them",
  seen: "SGLang issues 4997 and 6551; vLLM issue 44485",
  caught: { by: "@residua/lens", code: "row_count", note: "at a prompt that was sent before" },
  profiles: lensProfiles,
  act: () => ({
    generate: async (requests, next) => {
      // The engine runs a prompt whose log probabilities are asked for in full: what it would have found is asked beforehand.
      const known = await Promise.all(
        requests.map(async (request) => {
          if (request.capture === undefined || request.promptLogprobs === undefined) return 0;
          const [probe] = await next([probeOf(request)]);
          return probe!.cachedTokens;
        }),
      );
      const gapped = requests.map((request) =>
        request.capture === undefined ? request : withFaults({ captureGap: true })(request),
      );
      return changeCapture(next(gapped), (capture, p) => withoutFirstRows(capture, known[p]!));
    },
  }),
});

function probeOf({
  prompt,
  steering,
  signal,
  cacheSalt,
  skipPrefixCache,
}: GenerationRequest): GenerationRequest {
  return {
    prompt,
    maxTokens: 1,
    temperature: 0,
    ...(steering && { steering }),
    ...(signal && { signal }),
    ...(cacheSalt !== undefined && { cacheSalt }),
    ...(skipPrefixCache !== undefined && { skipPrefixCache }),
  };
}

import { defineQuirk, lensProfiles } from "../quirk.ts";
import { mostPositions, placeRows } from "./steered-positions.ts";

/** Prompt tokens a pass of the server that was recorded. */
export const chunkTokens = 64;

export const chunkRelativePositions = defineQuirk({
  name: "chunk-relative-positions",
  wrong: `positions of a steering vector count from the start of each pass (${chunkTokens} prompt tokens, or one decoded token): index 0 is steered at every chunk's start and every decoded token, an index of ${chunkTokens} or more never`,
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live (--max-num-batched-tokens 64); all versions read",
  caught: {
    by: "@residua/lens",
    code: "steering_misplaced",
    note: "with verify: true; after a self-test such positions are refused before they are sent",
  },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next, { model }) =>
      next(
        requests.map((request) => {
          if (request.steering === undefined) return request;
          const { length } = request.prompt;
          const places = (position: number): number[] => {
            if (position >= chunkTokens) return [];
            const at: number[] = [];
            for (let start = position; start < length; start += chunkTokens) at.push(start);
            if (position === 0) for (let i = length; i < mostPositions(request); i++) at.push(i);
            return at;
          };
          const steering = request.steering.map((vector) =>
            vector.positions === null
              ? vector
              : placeRows(vector, model.config.hiddenSize, (position) => places(position!)),
          );
          return { ...request, steering };
        }),
      ),
  }),
});

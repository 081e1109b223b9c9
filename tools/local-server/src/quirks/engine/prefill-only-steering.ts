import { defineQuirk, lensProfiles } from "../quirk.ts";
import { placeRows } from "./steered-positions.ts";

export const prefillOnlySteering = defineQuirk({
  name: "prefill-only-steering",
  wrong: "steering acts on the prompt only: generated tokens run unsteered",
  seen: "SAE-Reasoning issue 3: under vLLM the hook was not called while decoding",
  caught: { by: "@residua/lens", code: "steering_prefill_only", note: "with verify: true" },
  profiles: lensProfiles,
  act: () => ({
    generate: (requests, next, { model }) =>
      next(
        requests.map((request) => {
          if (request.steering === undefined) return request;
          const { length } = request.prompt;
          const prompt = Array.from({ length }, (_, i) => i);
          const steering = request.steering.map((vector) =>
            placeRows(vector, model.config.hiddenSize, (position) =>
              position === null ? prompt : position < length ? [position] : [],
            ),
          );
          return { ...request, steering };
        }),
      ),
  }),
});

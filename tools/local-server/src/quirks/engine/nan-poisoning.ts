import type { Generation, GenerationRequest } from "@residua/engine";
import { invalidRequest } from "@residua/engine/api";
import { defineQuirk, lensProfiles } from "../quirk.ts";

/** The square of a larger number is no float32: the norm of a stream that holds it is NaN. */
const largest = Math.sqrt(3.4028234663852886e38);

export const nanPoisoning = defineQuirk({
  name: "nan-poisoning",
  wrong:
    "steering that overflows leaves NaN in the cache: this request and all later ones whose prompt is not longer, of anybody, give only token 0 without text, or 400 with logprobs; a longer prompt ends it",
  seen: "vllm-lens 1.3.0 on vLLM 0.30.0, seen live: a scale of NaN or infinity, or a NaN inside the vector",
  caught: {
    by: "@residua/lens",
    code: "nan_poisoning",
    note: "of a capture; lens.generate sees it where the server names the tokens (vllm)",
  },
  profiles: lensProfiles,
  act: () => {
    let poisoned = 0;
    return {
      everyRequest: true,
      generate: async (requests, next, { chosen }) => {
        const bad = requests.map((request) => {
          const { length } = request.prompt;
          if (chosen && overflows(request)) poisoned = Math.max(poisoned, length);
          else if (length > poisoned) poisoned = 0;
          return poisoned > 0;
        });
        if (!bad.includes(true)) return next(requests);
        if (
          requests.some(
            ({ logprobs, promptLogprobs }, p) => bad[p] && (logprobs ?? promptLogprobs) !== undefined,
          )
        )
          throw invalidRequest("Out of range float values are not JSON compliant: nan");
        const generations = await next(requests.map((request, p) => (bad[p] ? silent(request) : request)));
        return generations.map((generation, p) => (bad[p] ? spoilt(generation) : generation));
      },
    };
  },
});

function overflows({ steering = [] }: GenerationRequest): boolean {
  return steering.some(({ rows, scale }) => rows.some((x) => Math.abs(x * scale) > largest));
}

/** Without the steering, which the engine would follow into the NaN; what is told of its tokens is token 0. */
function silent({ steering: _steering, ...request }: GenerationRequest): GenerationRequest {
  const { onToken } = request;
  return onToken === undefined
    ? request
    : { ...request, onToken: (token) => onToken({ ...token, token: 0, text: "" }) };
}

function spoilt(generation: Generation): Generation {
  const choices = generation.choices.map((choice) => ({
    ...choice,
    tokens: choice.tokens.map(() => 0),
    text: "",
  }));
  return { ...generation, choices };
}

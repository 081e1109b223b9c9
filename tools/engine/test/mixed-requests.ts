import type { GenerationRequest } from "../src/generation-request.ts";
import { someVector } from "./support.ts";

/** Requests of every kind to the tiny model, of different lengths, half of them steered. */
export const mixedRequests = (): GenerationRequest[] =>
  Array.from({ length: 16 }, (_, i) => ({
    prompt: [0, ...Array.from({ length: 1 + ((i * 5) % 14) }, (_, j) => (i * 37 + j * 11) % 900)],
    maxTokens: 1 + (i % 6),
    seed: i,
    temperature: [0, 1, 1.7][i % 3]!,
    topP: i % 4 === 0 ? 0.8 : 1,
    ...(i % 5 === 0 ? { n: 3 } : { capture: [i % 5, (i + 2) % 5] }),
    ...(i % 5 === 1 ? { promptLogprobs: 2, logprobs: 3 } : {}),
    ...(i % 2 === 0
      ? {}
      : {
          steering: [
            { layers: [i % 5], rows: someVector(96, i), positions: null, scale: i, normMatch: false },
          ],
        }),
  }));

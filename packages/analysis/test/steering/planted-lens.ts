import type { Lens } from "@residua/lens";

export type PlantedRequest = Parameters<Lens["generate"]>[0];
type Completion = Awaited<ReturnType<Lens["generate"]>>;

export interface Planted {
  /** Token texts. */
  vocabulary: readonly string[];
  /** Next-token logits after a prompt, one a token; `dose` is the sum of scale × vector over all steered layers. */
  logits: (prompt: string, dose: readonly number[], request: PlantedRequest) => number[];
  /** Tokens that are generated after a prompt where more than one is asked for. */
  text?: (prompt: string, dose: readonly number[]) => string[];
  /** The token that every place of a prompt holds (0): what teacher-forced log probabilities are of. */
  own?: number;
}

/** A model whose every answer is known in closed form, and that tells what it was asked. A word is a token. */
export function plantedLens(planted: Planted) {
  const { vocabulary, logits, text, own = 0 } = planted;
  const calls: PlantedRequest[] = [];
  let inFlight = 0;
  const state = { calls, mostInFlight: 0 };
  const generate: Lens["generate"] = async (request, { signal } = {}) => {
    signal?.throwIfAborted();
    calls.push(request);
    state.mostInFlight = Math.max(state.mostInFlight, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    const prompt = String(request.prompt);
    const dose = doseOf(request);
    const logprobs = logSoftmax(logits(prompt, dose, request));
    const ranked = [...logprobs.keys()].sort((a, b) => logprobs[b]! - logprobs[a]!);
    const best = ranked[0]!;
    const tokens = (request.max_tokens ?? 1) > 1 ? text!(prompt, dose) : [vocabulary[best]!];
    const top = ranked.slice(0, request.logprobs ?? 0).map((token) => [vocabulary[token]!, logprobs[token]!]);
    const count = request.prompt_logprobs ?? undefined;
    const named =
      count === undefined ? [] : count === -1 ? ranked : [...new Set([...ranked.slice(0, count), own])];
    const entry = Object.fromEntries(named.map((token) => [token, { logprob: logprobs[token]! }]));
    const choice = {
      index: 0,
      text: tokens.join(""),
      finish_reason: "length",
      ...(request.logprobs == null
        ? {}
        : {
            logprobs: {
              tokens,
              token_logprobs: tokens.map(() => logprobs[best]!),
              top_logprobs: [Object.fromEntries(top)],
            },
          }),
      ...(count === undefined
        ? {}
        : { prompt_logprobs: prompt.split(" ").map((_, i) => (i === 0 ? null : entry)) }),
    };
    return { model: "planted", choices: [choice] } as unknown as Completion;
  };
  return Object.assign(state, { generate });
}

/** Σ scale × row of all vectors; zeros where nothing is steered. */
function doseOf({ steering = [] }: PlantedRequest): number[] {
  const dose: number[] = [];
  for (const { rows, scale } of steering) {
    for (const row of rows) row.forEach((value, j) => (dose[j] = (dose[j] ?? 0) + scale * value));
  }
  return dose;
}

function logSoftmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  return logits.map((logit) => logit - largest - total);
}

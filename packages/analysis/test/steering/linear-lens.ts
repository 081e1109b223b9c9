import type { Lens } from "@residua/lens";

/** Token texts; the first two are the choices. */
const vocabulary = [" true", " false", " perhaps", " maybe", " both", " never"];

type Completion = Awaited<ReturnType<Lens["generate"]>>;

/**
 * A model whose next-token logits are a base of its prompt plus `readout` times the sum of scale × vector, so that every effect
 * of steering is known in closed form. A prompt is `"truth D"`: log p(true) − log p(false) = D unsteered; any other text is neutral.
 */
export function linearLens(options: { readout: number[][]; jitter?: (call: number) => number }) {
  const calls: Parameters<Lens["generate"]>[0][] = [];
  let inFlight = 0;
  const state = { calls, mostInFlight: 0 };
  const generate: Lens["generate"] = async (request, { signal } = {}) => {
    signal?.throwIfAborted();
    const call = calls.push(request);
    state.mostInFlight = Math.max(state.mostInFlight, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    const prompt = String(request.prompt);
    const logits = vocabulary.map(
      (_, token) => base(prompt, token) + steered(options.readout[token]!, request),
    );
    logits[0]! += options.jitter?.(call) ?? 0;
    const logprobs = logSoftmax(logits);
    const best = logprobs.indexOf(Math.max(...logprobs));
    const top = Object.fromEntries(
      [...logprobs.entries()]
        .sort((a, b) => b[1] - a[1])
        .slice(0, request.logprobs ?? 0)
        .map(([token, lp]) => [vocabulary[token]!, lp]),
    );
    // Every token of a neutral text is the token 0 of the vocabulary, as far as the model is concerned.
    const words = prompt.split(" ");
    return {
      model: "linear",
      choices: [
        {
          index: 0,
          text: vocabulary[best]!,
          finish_reason: "length",
          ...(request.logprobs === undefined
            ? {}
            : {
                logprobs: {
                  tokens: [vocabulary[best]!],
                  token_logprobs: [logprobs[best]!],
                  top_logprobs: [top],
                },
              }),
          ...(request.prompt_logprobs === undefined
            ? {}
            : {
                prompt_logprobs: words.map((_, i) => (i === 0 ? null : { "0": { logprob: logprobs[0]! } })),
              }),
        },
      ],
    } as unknown as Completion;
  };
  return Object.assign(state, { generate });
}

function base(prompt: string, token: number): number {
  const found = /^truth (-?[\d.]+)$/.exec(prompt);
  if (!found) return 0;
  const difference = Number(found[1]);
  return [5 + difference / 2, 5 - difference / 2, 4, 3, -2, -3][token]!;
}

function steered(readout: readonly number[], request: Parameters<Lens["generate"]>[0]): number {
  let sum = 0;
  for (const { rows, scale } of request.steering ?? []) {
    for (const row of rows) row.forEach((value, j) => (sum += scale * value * readout[j]!));
  }
  return sum;
}

function logSoftmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  return logits.map((logit) => logit - largest - total);
}

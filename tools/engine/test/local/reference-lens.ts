import { expect } from "vitest";
import type { LocalLens } from "../../src/local/open-local.ts";
import { fixtureJson } from "../support.ts";

interface Ends {
  top: [number, number][];
  bottom: [number, number][];
}

interface Reference {
  cases: {
    text: string;
    ids: number[];
    embeddings: number[][];
    layers: { topIds: number[][]; topLogprobs: number[][]; entropy: number[]; kl: number[] }[];
  }[];
  directions: { tokens: [number, number]; bare: Ends; scaled: Ends }[];
}

/** What transformers says of a model (`fixtures/make_logit_lens.py`). */
export const referenceLens = (name: "tiny" | "smollm2") => fixtureJson<Reference>(`${name}-logit-lens.json`);

/** Numbers in nats may differ by so much, of the reference's size or of 1 where that is less. Measured: 7.1e-6 and 7.8e-5. */
export const tolerance = { tiny: 5e-5, smollm2: 3e-4 };

/** The logit lens of each prompt, compared number by number; the largest difference. */
export async function compareLogitLens(lens: LocalLens, { cases }: Reference, most: number): Promise<number> {
  let worst = 0;
  const near = (found: number | undefined, expected: number | undefined) => {
    const difference = Math.abs((found ?? NaN) - (expected ?? NaN)) / Math.max(1, Math.abs(expected ?? NaN));
    worst = Math.max(worst, difference);
    expect(difference).toBeLessThan(most);
  };
  for (const { text, ids, layers } of cases) {
    const all = layers.map((_, i) => i - 1);
    const found = await lens.local.logitLens({ prompt: text }, { layers: all, top: 5 });
    expect(found.layers).toEqual(all);
    expect(found.tokens.map(({ id }) => id)).toEqual(ids);
    for (const [l, expected] of layers.entries()) {
      for (const position of ids.keys()) {
        const reading = found.at({ layer: l - 1, position });
        near(reading.entropy, expected.entropy[position]);
        near(reading.kl, expected.kl[position]);
        reading.top.forEach(({ logprob }, rank) => near(logprob, expected.topLogprobs[position]![rank]));
        // Tokens whose probabilities are nearer than the tolerance may change places.
        const gaps = expected.topLogprobs[position]!.map((one, i, row) => one - (row[i + 1] ?? -Infinity));
        if (gaps.slice(0, 4).every((gap) => gap > most))
          expect(reading.top.slice(0, 4).map(({ id }) => id)).toEqual(expected.topIds[position]!.slice(0, 4));
      }
    }
  }
  return worst;
}

/** The ends of each direction, times a factor, compared; scores to 1e-4 of the highest. */
export async function compareDirections(
  lens: LocalLens,
  { directions }: Reference,
  factor = 1,
): Promise<void> {
  for (const { tokens, bare, scaled } of directions) {
    const [plus, minus] = await Promise.all(tokens.map((token) => lens.local.unembedding(token)));
    const direction = plus!.map((value, i) => (value - minus![i]!) * factor);
    for (const [normScale, expected] of [
      [false, bare],
      [true, scaled],
    ] as const) {
      const found = await lens.local.topTokens(direction, { count: 5, normScale });
      for (const end of ["top", "bottom"] as const) {
        expect(found[end].map(({ id }) => id)).toEqual(expected[end].map(([id]) => id));
        found[end].forEach(({ score }, i) =>
          expect(Math.abs(score / factor - expected[end][i]![1])).toBeLessThan(
            1e-4 * Math.abs(expected.top[0]![1]),
          ),
        );
      }
    }
  }
}

import { inconclusive, judge, notTried } from "../findings.ts";
import { median, relativeError, short } from "../row-numbers.ts";
import type { SelfTestCheck } from "../self-test-check.ts";
import { tolerances } from "../tolerances.ts";
import type { Unembedding } from "../self-test-context.ts";

/** S19. */
export const lastLayer: SelfTestCheck = {
  code: "S19",
  title: "the last layer is before the final norm",
  means: {
    pass: "the final norm and the unembedding, applied to the last layer, give the model's own next token",
    fail: "the last layer is something else: no logit lens on it, and no direction at it",
  },
  decides: [],
  requests: 1,
  async run({ capture, text, layerCount, unembedding }) {
    if (!unembedding) return [notTried("needs weights, which are not on the wire (unembedding: … tries it)")];
    const last = layerCount - 1;
    const rows = await capture({ prompt: text, layers: [last], fields: { prompt_logprobs: 10 } });
    const told = rows.completion.choices[0]?.prompt_logprobs ?? [];
    // Row p predicts token p + 1.
    const pairs = rows.of(last).flatMap((row, p) => {
      const entries = Object.entries(told[p + 1] ?? {}).map(([id, { logprob }]) => ({
        id: Number(id),
        logprob,
      }));
      return entries.length < 5 ? [] : [{ row, entries }];
    });
    if (pairs.length === 0) return [inconclusive("the server does not tell log probabilities of the prompt")];
    const weights = new Map<number, ArrayLike<number>>();
    for (const id of new Set(pairs.flatMap(({ entries }) => entries.map((entry) => entry.id))))
      weights.set(id, await unembedding.row(id));
    const of = (change: (row: Float32Array) => Float32Array) =>
      median(pairs.map(({ row, entries }) => logitError(entries, change(row), weights)));
    const withNorm = of((row) => normalised(row, unembedding));
    const without = of((row) => row);
    return [
      judge(
        withNorm <= tolerances.logits && withNorm < without,
        `its logits are ${short(withNorm)} off the model's log probabilities at ${pairs.length} positions (${short(without)} without the final norm)`,
        { logitError: short(withNorm), withoutNorm: short(without) },
      ),
    ];
  },
};

/** RMSNorm (Zhang and Sennrich 2019): x · w / √(mean(x²) + ε). */
function normalised(row: Float32Array, { finalNorm, epsilon }: Unembedding): Float32Array {
  const square = row.reduce((sum, x) => sum + x * x, 0) / row.length;
  return row.map((x, i) => (x * (finalNorm[i] ?? 0)) / Math.sqrt(square + epsilon));
}

/** Error of logits against log probabilities, over the spread of these: they differ by a constant alone. */
function logitError(
  told: readonly { id: number; logprob: number }[],
  row: Float32Array,
  weights: ReadonlyMap<number, ArrayLike<number>>,
): number {
  const logits = told.map(({ id }) => {
    const own = weights.get(id);
    return row.reduce((sum, x, i) => sum + x * (own?.[i] ?? 0), 0);
  });
  return relativeError(centred(logits), centred(told.map(({ logprob }) => logprob)));
}

function centred(values: readonly number[]): Float32Array {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Float32Array.from(values, (value) => value - mean);
}

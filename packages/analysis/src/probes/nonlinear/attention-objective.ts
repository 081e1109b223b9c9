import type { LayerProducts } from "../convex/layer-products.ts";
import type { StandardSpace } from "../convex/standard-space.ts";
import { total } from "../../linalg/vectors.ts";
import type { Evaluation } from "./lbfgs.ts";
import type { MeanLoss } from "./score-loss.ts";

/** Sizes of an attention probe: each head has one query and a value for each output. */
export interface AttentionShape {
  readonly width: number;
  readonly heads: number;
  readonly outputs: number;
}

/** `[heads, width + 1]` queries (whose biases change nothing and stay 0), `[heads · outputs, width + 1]` values, `[outputs]` biases. */
export function attentionParts(
  { width, heads, outputs }: AttentionShape,
  point: Float64Array,
): { queries: Float64Array[]; values: Float64Array[]; bias: Float64Array } {
  const size = width + 1;
  const part = (at: number) => point.subarray(at * size, (at + 1) * size);
  return {
    queries: Array.from({ length: heads }, (_, h) => part(h)),
    values: Array.from({ length: heads * outputs }, (_, at) => part(heads + at)),
    bias: point.subarray((heads + heads * outputs) * size),
  };
}

/** The softmax of each head's query over the rows of each sequence. `sequenceOf` is `[rows]`. */
export function attend(logits: Float64Array, sequenceOf: ArrayLike<number>, sequences: number): Float64Array {
  const top = new Float64Array(sequences).fill(-Infinity);
  const sums = new Float64Array(sequences);
  logits.forEach((logit, row) => (top[sequenceOf[row]!] = Math.max(top[sequenceOf[row]!]!, logit)));
  const shares = logits.map((logit, row) => Math.exp(logit - top[sequenceOf[row]!]!));
  shares.forEach((share, row) => (sums[sequenceOf[row]!]! += share));
  return shares.map((share, row) => share / sums[sequenceOf[row]!]!);
}

/**
 * Mean loss over sequences + ½ · decay · Σ w² of output_k = b_k + Σ_heads Σ_rows softmax(q_h · z) (v_hk · z), z a standardised row, with its
 * gradient and the held-out sequences' mean loss.
 */
export async function attentionObjective(
  problem: {
    products: LayerProducts;
    space: StandardSpace;
    shape: AttentionShape;
    sequenceOf: ArrayLike<number>;
    sequences: number;
    learning: MeanLoss;
    stopping?: MeanLoss;
    decay: number;
  },
  point: Float64Array,
): Promise<Evaluation> {
  const { products, space, shape, sequenceOf, sequences, learning, stopping, decay } = problem;
  const { width, heads, outputs } = shape;
  const { queries, values, bias } = attentionParts(shape, point);
  const scores = await space.scoresOf(products, [...queries, ...values]);
  const shares = scores.slice(0, heads).map((logits) => attend(logits, sequenceOf, sequences));
  const read = scores.slice(heads);
  const pooled = Array.from({ length: outputs }, (_, k) => {
    const output = new Float64Array(sequences).fill(bias[k]!);
    shares.forEach((share, h) =>
      share.forEach((value, row) => (output[sequenceOf[row]!]! += value * read[h * outputs + k]![row]!)),
    );
    return output;
  });
  const slopes = learning.loss.slopes(pooled).map((column) => column.map((slope) => slope * learning.share));
  const residuals = [...queries, ...values].map(() => new Float64Array(sequenceOf.length));
  shares.forEach((share, h) => {
    const worth = new Float64Array(share.length);
    const mean = new Float64Array(sequences);
    share.forEach((value, row) => {
      for (let k = 0; k < outputs; k++) {
        const slope = slopes[k]![sequenceOf[row]!]!;
        worth[row]! += slope * read[h * outputs + k]![row]!;
        residuals[heads + h * outputs + k]![row] = slope * value;
      }
      mean[sequenceOf[row]!]! += value * worth[row]!;
    });
    share.forEach((value, row) => (residuals[h]![row] = value * (worth[row]! - mean[sequenceOf[row]!]!)));
  });
  const gradient = new Float64Array(point.length);
  const own = attentionParts(shape, gradient);
  (await space.gatherOf(products, residuals)).forEach((part, at) =>
    (own.queries[at] ?? own.values[at - heads]!).set(part),
  );
  for (const part of [...own.queries, ...own.values]) part[width] = 0;
  slopes.forEach((slope, k) => (own.bias[k] = total(slope)));
  let squares = 0;
  [...queries, ...values].forEach((part, at) => {
    const into = own.queries[at] ?? own.values[at - heads]!;
    for (let j = 0; j < width; j++) {
      squares += part[j]! ** 2;
      into[j]! += decay * part[j]!;
    }
  });
  return {
    value: learning.share * learning.loss.at(pooled) + (decay / 2) * squares,
    gradient,
    ...(stopping && { heldOut: stopping.share * stopping.loss.at(pooled) }),
  };
}

import type { LayerProducts } from "../convex/layer-products.ts";
import type { StandardSpace } from "../convex/standard-space.ts";
import { addScaled, dot, total } from "../../linalg/vectors.ts";
import type { Evaluation } from "./lbfgs.ts";
import type { MeanLoss } from "./score-loss.ts";

/** Sizes of a network of one hidden layer; its parameters lie one after the other, each unit's bias last. */
export interface MlpShape {
  readonly width: number;
  readonly hidden: number;
  readonly outputs: number;
}

/** `[hidden, width + 1]`, `[outputs, hidden + 1]` */
export function mlpParts(
  { width, hidden, outputs }: MlpShape,
  point: Float64Array,
): { below: Float64Array[]; above: Float64Array[] } {
  const above = hidden * (width + 1);
  return {
    below: Array.from({ length: hidden }, (_, h) => point.subarray(h * (width + 1), (h + 1) * (width + 1))),
    above: Array.from({ length: outputs }, (_, k) =>
      point.subarray(above + k * (hidden + 1), above + (k + 1) * (hidden + 1)),
    ),
  };
}

/**
 * Mean loss + ½ · decay · Σ w² (biases left out) of output = W₂ · max(0, W₁ · z + b₁) + b₂ on standardised rows z, with its gradient and
 * the held-out rows' mean loss.
 */
export async function mlpObjective(
  problem: {
    products: LayerProducts;
    space: StandardSpace;
    shape: MlpShape;
    learning: MeanLoss;
    stopping?: MeanLoss;
    decay: number;
  },
  point: Float64Array,
): Promise<Evaluation> {
  const { products, space, shape, learning, stopping, decay } = problem;
  const { width, hidden } = shape;
  const { below, above } = mlpParts(shape, point);
  const active = (await space.scoresOf(products, below)).map((scores) =>
    scores.map((score) => Math.max(0, score)),
  );
  const outputs = above.map((part) => {
    const scores = new Float64Array(active[0]!.length).fill(part[hidden]!);
    active.forEach((unit, h) => addScaled(scores, part[h]!, unit));
    return scores;
  });
  const slopes = learning.loss.slopes(outputs).map((column) => column.map((slope) => slope * learning.share));
  const gradient = new Float64Array(point.length);
  const own = mlpParts(shape, gradient);
  slopes.forEach((slope, k) => {
    active.forEach((unit, h) => (own.above[k]![h] = dot(slope, unit)));
    own.above[k]![hidden] = total(slope);
  });
  const residuals = active.map((unit, h) => {
    const residual = new Float64Array(unit.length);
    slopes.forEach((slope, k) => addScaled(residual, above[k]![h]!, slope));
    return residual.map((value, row) => (unit[row]! > 0 ? value : 0));
  });
  (await space.gatherOf(products, residuals)).forEach((part, h) => own.below[h]!.set(part));
  let squares = 0;
  const decays = (part: Float64Array, into: Float64Array, count: number) => {
    for (let j = 0; j < count; j++) {
      squares += part[j]! ** 2;
      into[j]! += decay * part[j]!;
    }
  };
  below.forEach((part, h) => decays(part, own.below[h]!, width));
  above.forEach((part, k) => decays(part, own.above[k]!, hidden));
  return {
    value: learning.share * learning.loss.at(outputs) + (decay / 2) * squares,
    gradient,
    ...(stopping && { heldOut: stopping.share * stopping.loss.at(outputs) }),
  };
}

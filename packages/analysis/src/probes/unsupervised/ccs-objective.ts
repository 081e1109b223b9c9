import type { Evaluation } from "../nonlinear/lbfgs.ts";
import { dot } from "../../linalg/vectors.ts";

/** Both rows of each pair, normalised: `[pairs, width]`. */
export interface NormalisedPairs {
  readonly width: number;
  readonly positive: Float64Array;
  readonly negative: Float64Array;
}

/**
 * Contrast-consistent search (Burns et al. 2022, arXiv:2212.03827): the mean over pairs of (p⁺ − (1 − p⁻))² + min(p⁺, p⁻)², with
 * p = 1 / (1 + exp(−(z·w + b))), + ½ · decay · ‖w‖²; `point` is w and, last, b.
 */
export function ccsObjective(pairs: NormalisedPairs, decay: number, point: Float64Array): Evaluation {
  const { width, positive, negative } = pairs;
  const count = positive.length / width;
  const weights = point.subarray(0, width);
  const gradient = new Float64Array(width + 1);
  let loss = 0;
  for (let start = 0; start < positive.length; start += width) {
    const yes = share(dot(weights, positive.subarray(start, start + width)) + point[width]!);
    const no = share(dot(weights, negative.subarray(start, start + width)) + point[width]!);
    const consistency = yes + no - 1;
    loss += (consistency ** 2 + Math.min(yes, no) ** 2) / count;
    // Equal shares send half the slope of the lesser one each way, as PyTorch does.
    const lesser = yes === no ? 0.5 : yes < no ? 1 : 0;
    const toYes = (2 * (consistency + lesser * yes) * yes * (1 - yes)) / count;
    const toNo = (2 * (consistency + (1 - lesser) * no) * no * (1 - no)) / count;
    for (let j = 0; j < width; j++)
      gradient[j]! += toYes * positive[start + j]! + toNo * negative[start + j]!;
    gradient[width]! += toYes + toNo;
  }
  for (let j = 0; j < width; j++) gradient[j]! += decay * weights[j]!;
  return { value: loss + (decay / 2) * dot(weights, weights), gradient };
}

function share(logit: number): number {
  const small = Math.exp(-Math.abs(logit));
  return logit > 0 ? 1 / (1 + small) : small / (1 + small);
}

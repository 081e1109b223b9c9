import { type StandardMoments, standardMoments } from "../standard-moments.ts";
import type { LayerProducts } from "./layer-products.ts";
import { dot, total } from "../../linalg/vectors.ts";

/**
 * The space of features standardised on training rows, reached by folding the scaler into weights: the rows themselves stay as they are.
 * A part is `[width + 1]`: weights of the standardised features and, last, the bias.
 */
export class StandardSpace {
  readonly moments: StandardMoments;
  readonly width: number;

  constructor(moments: StandardMoments) {
    this.moments = moments;
    this.width = moments.mean.length;
  }

  /** Weights of the matrix's own features, for one column's standardised parameters or a step of them. */
  fold(part: Float64Array): Float64Array {
    const { inverse } = this.moments;
    return Float64Array.from({ length: this.width }, (_, j) => inverse[j]! * part[j]!);
  }

  /** The bias that goes with `fold`. */
  foldedBias(part: Float64Array, folded: Float64Array): number {
    return part[this.width]! - dot(folded, this.moments.mean);
  }

  /** The reverse for a gradient: `sums` = Σ residual × row. */
  unfold(sums: ArrayLike<number>, residual: Float64Array): Float64Array {
    const { mean, inverse } = this.moments;
    const all = total(residual);
    const gradient = new Float64Array(this.width + 1);
    for (let j = 0; j < this.width; j++) gradient[j] = inverse[j]! * (sums[j]! - mean[j]! * all);
    gradient[this.width] = all;
    return gradient;
  }

  /** Scores of the rows for each part, in one product. */
  async scoresOf(products: LayerProducts, parts: readonly Float64Array[]): Promise<Float64Array[]> {
    const folded = parts.map((part) => this.fold(part));
    const raw = await products.scores(folded);
    return raw.map((scores, k) => {
      const bias = this.foldedBias(parts[k]!, folded[k]!);
      return Float64Array.from(scores, (score) => score + bias);
    });
  }

  /** Σ residual × standardised row (and Σ residual for the bias) of each list of residuals, in one product. */
  async gatherOf(products: LayerProducts, residuals: readonly Float64Array[]): Promise<Float64Array[]> {
    const sums = await products.gather([...residuals]);
    return residuals.map((residual, k) => this.unfold(sums[k]!, residual));
  }
}

/** Of the rows that `included` marks, with their weights. Training rows only: a moment of a held-out row would leak it into the scaler. */
export function standardSpace(
  values: Float32Array,
  width: number,
  included: Uint8Array,
  weights: Float64Array | null = null,
): StandardSpace {
  const counted = weights ? weights.map((weight, row) => weight * included[row]!) : included;
  return new StandardSpace(standardMoments(values, width, counted));
}

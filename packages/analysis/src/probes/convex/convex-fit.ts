import type { StandardMoments } from "../standard-moments.ts";
import type { LayerProducts } from "./layer-products.ts";
import type { RowLoss } from "./row-loss.ts";
import { StandardSpace } from "./standard-space.ts";
import { addScaled } from "../../linalg/vectors.ts";

/**
 * One fit on its way: for each score column the weights of the standardised features and, last, the bias, all in one
 * `parameters` (`[columns, width + 1]`); `scores` are the rows' (training rows and others).
 */
export class ConvexFit extends StandardSpace {
  readonly loss: RowLoss;
  /** 1 for the rows that the moments were taken of: the training rows. */
  readonly included: Uint8Array;
  parameters: Float64Array;
  scores: Float64Array[];

  constructor(loss: RowLoss, moments: StandardMoments, included: Uint8Array) {
    super(moments);
    this.loss = loss;
    this.included = included;
    this.parameters = new Float64Array(loss.columns * (this.width + 1));
    this.scores = Array.from({ length: loss.columns }, () => new Float64Array(included.length));
  }

  /** Of one score column, in a vector like `parameters`. */
  part(vector: Float64Array, column: number): Float64Array {
    return vector.subarray(column * (this.width + 1), (column + 1) * (this.width + 1));
  }

  /** The parts of all score columns. */
  parts(vector: Float64Array): Float64Array[] {
    return Array.from({ length: this.loss.columns }, (_, k) => this.part(vector, k));
  }

  /** ½ Σ w², biases left out. */
  halfSquares(parameters = this.parameters): number {
    let squares = 0;
    for (const part of this.parts(parameters)) {
      for (let j = 0; j < this.width; j++) squares += part[j]! ** 2;
    }
    return squares / 2;
  }

  /** The scores a step of the scores further on. */
  scoresAfter(t: number, steps: readonly Float64Array[]): Float64Array[] {
    return this.scores.map((column, k) => {
      const moved = column.slice();
      addScaled(moved, t, steps[k]!);
      return moved;
    });
  }

  /** What the fit looks like now, for the matrix's own features. */
  folded(): { weights: Float64Array; centeredBias: number }[] {
    return this.parts(this.parameters).map((part) => {
      const weights = this.fold(part);
      return { weights, centeredBias: this.foldedBias(part, weights) };
    });
  }
}

/** Scores of each fit's parameters (or of steps like them), in one product: `[fit][column][rows]`. */
export async function convexScores(
  products: LayerProducts,
  fits: readonly ConvexFit[],
  vectors: readonly Float64Array[],
): Promise<Float64Array[][]> {
  const parts = fits.map((fit, i) =>
    fit.parts(vectors[i]!).map((part) => ({ part, folded: fit.fold(part) })),
  );
  const flat = await products.scores(parts.flat().map(({ folded }) => folded));
  let at = 0;
  return fits.map((fit, i) =>
    parts[i]!.map(({ part, folded }) => {
      const bias = fit.foldedBias(part, folded);
      return Float64Array.from(flat[at++]!, (score) => score + bias);
    }),
  );
}

/** Σ residual × standardised row (and Σ residual for the bias) of each fit, in one product, as vectors like `parameters`. */
export async function convexGather(
  products: LayerProducts,
  fits: readonly ConvexFit[],
  residuals: readonly (readonly Float64Array[])[],
): Promise<Float64Array[]> {
  const flat = await products.gather(residuals.flat());
  let at = 0;
  return fits.map((fit, i) => {
    const gathered = new Float64Array(fit.parameters.length);
    residuals[i]!.forEach((residual, k) => fit.part(gathered, k).set(fit.unfold(flat[at++]!, residual)));
    return gathered;
  });
}

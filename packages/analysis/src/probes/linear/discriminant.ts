import { linearScorerData } from "../trained/linear-scorer.ts";
import type { TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import type { ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit, refuseOneClass } from "../probe-fit.ts";
import { probeMatrix, type ProbeMatrix } from "../probe-matrix.ts";
import { timesLines } from "./line-products.ts";
import { rowSpread, trainingSpreads } from "./row-spread.ts";
import { refuseWeights, shrunkCovariance, type Shrinkage } from "./shrunk-covariance.ts";
import { solveSpread } from "./solve-spread.ts";
import { dot } from "../../linalg/vectors.ts";

/** A probe by the distance to class means in the norm of their shrunk covariance, with or without what the class sizes say. */
export interface Discriminant {
  readonly name: "lda" | "mahalanobis";
  readonly shrinkage: Shrinkage;
  readonly priors: boolean;
}

/** Two classes a column: w = Σ⁻¹(m₁ − m₀). */
export async function fitDiscriminant(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  { name, shrinkage, priors }: Discriminant,
): Promise<ProbeFit[]> {
  const fits: ProbeFit[] = [];
  for (const column of columns) {
    refuseWeights(name, column.weights);
    refuseOneClass(column);
    const [inside] = trainingSpreads([column]);
    const classOf = Uint8Array.from(column.labels, (label) => (label ? 1 : 0));
    const covariance = await shrunkCovariance(matrix, rowSpread(inside!.weights, classOf, 2), shrinkage);
    const { means, counts } = covariance;
    const [solution] = await solveSpread(matrix, covariance, [difference(means[1]!, means[0]!)]);
    const { weights, ...end } = solution!;
    const middle = (dot(means[0]!, weights) + dot(means[1]!, weights)) / 2;
    const centeredBias = (priors ? Math.log(counts[1]! / counts[0]!) : 0) - middle;
    const scores = timesLines(matrix.values, matrix.width, weights).map((score) => score + centeredBias);
    const converged = end.converged && isSpread(counts);
    fits.push(probeFit(matrix, { weights, centeredBias, scores, ...end, converged }));
  }
  return fits;
}

/** Any number of classes: of each, (x − m̄)·w − ½(m − m̄)·w with w = Σ⁻¹(m − m̄), which ranks as its distances do; m̄ the mean of the class means. */
export async function trainDiscriminant(
  data: TrainingData,
  { name, shrinkage, priors }: Discriminant,
): Promise<TrainedParts> {
  refuseWeights(name, data.weights);
  const matrix = probeMatrix(data.values, data.width);
  try {
    const classes = data.classes?.length ?? 2;
    const all = rowSpread(new Float64Array(data.rows).fill(1), Uint32Array.from(data.targets), classes);
    const covariance = await shrunkCovariance(matrix, all, shrinkage);
    const { means, counts } = covariance;
    const middle = means[0]!.map((_, j) => means.reduce((sum, mean) => sum + mean[j]!, 0) / classes);
    const binary = data.task === "binary";
    const steps = binary ? [difference(means[1]!, means[0]!)] : means.map((mean) => difference(mean, middle));
    const solutions = await solveSpread(matrix, covariance, steps);
    const { center } = matrix;
    const bias = solutions.map(({ weights }, k) => {
      const prior = priors ? Math.log(binary ? counts[1]! / counts[0]! : counts[k]! / data.rows) : 0;
      const half = binary ? middle : means[k]!.map((value, j) => (value + middle[j]!) / 2);
      return prior - dot(half, weights) - dot(center, weights);
    });
    return {
      scorer: linearScorerData(
        solutions.map(({ weights }) => weights),
        bias,
      ),
      C: null,
      converged: isSpread(counts) && solutions.every(({ converged }) => converged),
      iterations: Math.max(...solutions.map(({ iterations }) => iterations)),
      gradientNorm: Math.max(...solutions.map(({ gradientNorm }) => gradientNorm)),
    };
  } finally {
    matrix.dispose();
  }
}

/** Whether some class has two rows: rows that are alone in their classes tell nothing of how rows vary within one. */
function isSpread(counts: ArrayLike<number>): boolean {
  return Array.from(counts).some((count) => count > 1);
}

function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, j) => value - b[j]!);
}

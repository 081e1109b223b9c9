import { z } from "zod";
import { cholesky } from "../../linalg/cholesky.ts";
import { rowGram } from "../../linalg/row-gram.ts";
import { checkOptions } from "../../options/check-options.ts";
import type { DistanceScorerData } from "../../results/probe-scorer.ts";
import { ProbeError } from "../probe-error.ts";
import { probeMatrix, type ProbeMatrix } from "../probe-matrix.ts";
import { packMatrix } from "../trained/packed-matrix.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import { rowSpread } from "./row-spread.ts";
import {
  refuseWeights,
  shrunkCovariance,
  type ShrunkCovariance,
  type Shrinkage,
} from "./shrunk-covariance.ts";

export interface MahalanobisDistanceOptions {
  /** The class whose mean and covariance are learned (default "negative": what is far from the negative rows scores high). */
  of?: "negative" | "positive";
  /** As of `lda`. */
  shrinkage?: Shrinkage;
}

const optionsSchema = z.strictObject({
  of: z.enum(["negative", "positive"]).default("negative"),
  shrinkage: z.union([z.literal("auto"), z.number().gt(0).max(1)]).default("auto"),
});

/**
 * How far a row is from one class, by the Mahalanobis distance in that class's shrunk covariance: the other class is not looked at. For
 * `trainProbe`; it has no direction. Throws InvalidRequestError.
 */
export function mahalanobisDistance(options: MahalanobisDistanceOptions = {}): ProbeTrainer {
  const { of, shrinkage } = checkOptions(optionsSchema, options, "mahalanobisDistance options");
  const sign = of === "negative" ? "" : "−";
  return {
    name: "mahalanobis-distance",
    target: "classes",
    C: null,
    bias: "none",
    formula: `${sign}√((x − m)ᵀ Σ⁻¹ (x − m)), m and Σ of the ${of} rows alone, Σ shrunk (${shrinkage === "auto" ? "Ledoit–Wolf of standardised features" : shrinkage}), raw space`,
    train: (data) => trainDistance(data, of, shrinkage),
  };
}

async function trainDistance(
  data: TrainingData,
  of: "negative" | "positive",
  shrinkage: Shrinkage,
): Promise<TrainedParts> {
  refuseWeights("mahalanobis-distance", data.weights);
  if (data.task !== "binary")
    throw new ProbeError(
      "bad_label",
      "A distance from one class takes two classes: choose rows of two with where.",
    );
  const inside = data.targets.map((target) => Number((target === 1) === (of === "positive")));
  const matrix = probeMatrix(data.values, data.width);
  try {
    const covariance = await shrunkCovariance(matrix, rowSpread(inside), shrinkage);
    const at = covariance.diagonal.findIndex((value) => !(value > 0));
    if (at >= 0)
      throw new ProbeError(
        "not_positive_definite",
        `The ${of} rows leave the variance of feature ${at} at 0: give shrinkage a share above 0.`,
        {
          feature: at,
        },
      );
    const inverse = await inverseParts(matrix, covariance);
    const center = covariance.means[0]!.map((mean, j) => mean + matrix.center[j]!);
    const scorer: DistanceScorerData = {
      ...{ kind: "distance", center: [...center], ...inverse, sign: of === "negative" ? 1 : -1 },
    };
    return { scorer, C: null, converged: true, iterations: 0, gradientNorm: 0 };
  } finally {
    matrix.dispose();
  }
}

/** (Δ + VᵀV)⁻¹ with V the weighed centred rows: by Woodbury's identity where the rows are fewer than the features, whole else. */
async function inverseParts(
  matrix: ProbeMatrix,
  { diagonal, spread, means }: ShrunkCovariance,
): Promise<Pick<DistanceScorerData, "diagonal" | "left" | "right" | "part">> {
  const { width, values } = matrix;
  const rows = [...spread.weights.keys()].filter((row) => spread.weights[row]! > 0);
  const count = rows.length;
  const line = (row: number, j: number) =>
    Math.sqrt(spread.weights[row]!) * (values[row * width + j]! - means[0]![j]!);
  if (count < width) {
    const scaled = new Float32Array(count * width);
    const left = new Float64Array(count * width);
    rows.forEach((row, i) => {
      for (let j = 0; j < width; j++) {
        const value = line(row, j);
        scaled[i * width + j] = value / Math.sqrt(diagonal[j]!);
        left[i * width + j] = value / diagonal[j]!;
      }
    });
    const gram = Float64Array.from(await rowGram(scaled, width));
    for (let i = 0; i < count; i++) gram[i * count + i]! += 1;
    const right = solveColumns(gram, count, left, width);
    const flat = Array.from(diagonal, (value) => 1 / value);
    return { diagonal: flat, left: packMatrix(left, width), right: packMatrix(right, width), part: -1 };
  }
  const sum = new Float64Array(width * width);
  for (const row of rows) {
    const own = Float64Array.from({ length: width }, (_, j) => line(row, j));
    for (let i = 0; i < width; i++) for (let k = 0; k <= i; k++) sum[i * width + k]! += own[i]! * own[k]!;
  }
  const unit = new Float64Array(width * width);
  for (let j = 0; j < width; j++) {
    sum[j * width + j]! += diagonal[j]!;
    unit[j * width + j] = 1;
  }
  const right = solveColumns(sum, width, unit, width);
  return { diagonal: new Array<number>(width).fill(0), left: null, right: packMatrix(right, width), part: 1 };
}

/** matrix⁻¹ · right, `right` `[size, columns]`. */
function solveColumns(
  matrix: Float64Array,
  size: number,
  right: Float64Array,
  columns: number,
): Float64Array {
  const rights = Array.from({ length: columns }, (_, j) =>
    Float64Array.from({ length: size }, (_row, i) => right[i * columns + j]!),
  );
  const solved = new Float64Array(size * columns);
  cholesky(matrix, size)
    .solveMany(rights)
    .forEach((column, j) => column.forEach((value, i) => (solved[i * columns + j] = value)));
  return solved;
}

import { deviceMatrix } from "../../backend/device-matrix.ts";
import { leadingEigen } from "../../linalg/leading-eigen.ts";
import { probeMatrix, type ProbeMatrix } from "../probe-matrix.ts";
import { biasCurvature, meanCurvature, type LogisticPreconditioner } from "./logistic-preconditioner.ts";

/** Rows from which the directions are learnt. */
const sampleRows = 2048;
/** Directions that are kept as they are; all others count as equally long. */
const rank = 128;

/**
 * (C · w̄ · G + I)⁻¹ with G the Gram matrix of all standardised rows as its leading eigenvectors and one eigenvalue for the rest
 * (the mean of what the trace leaves to them).
 */
export async function lowRankPreconditioner(layer: ProbeMatrix): Promise<LogisticPreconditioner> {
  const sample = layer.rows > sampleRows ? probeMatrix(await layer.sample(sampleRows), layer.width) : layer;
  try {
    return await fromRows(sample, layer.rows);
  } finally {
    if (sample !== layer) sample.dispose();
  }
}

async function fromRows(matrix: ProbeMatrix, layerRows: number): Promise<LogisticPreconditioner> {
  const { width, rows } = matrix;
  const [moments] = await matrix.moments([{ included: new Uint8Array(rows).fill(1) }]);
  const { mean, inverse } = moments!;
  const { values, vectors } = await leadingEigen(
    async (basis) => {
      const scores = await matrix.scores(
        basis.map((vector) => vector.map((value, j) => value * inverse[j]!)),
      );
      basis.forEach((vector, k) => subtractMean(scores[k]!, vector, mean, inverse));
      const sums = await matrix.gather(scores);
      return sums.map((own, k) => {
        const total = scores[k]!.reduce((sum, score) => sum + score, 0);
        return Float64Array.from(own, (sum, j) => inverse[j]! * (sum - mean[j]! * total));
      });
    },
    { size: width, rank },
  );
  const count = vectors.length;
  const kept = new Float32Array(count * width);
  vectors.forEach((vector, k) => kept.set(vector, k * width));
  const device = deviceMatrix(kept, width);
  const varying = inverse.reduce((sum, scale) => sum + (scale > 0 ? 1 : 0), 0);
  const explained = values.reduce((sum, value) => sum + value, 0);
  const rest = Math.max(0, rows * varying - explained) / Math.max(1, Math.min(layerRows, varying) - count);
  let C = 0;
  let scale = 0;
  return {
    prepare(given, columns) {
      C = given;
      // Curvatures are sums over rows, and so is G.
      scale = (C * meanCurvature(columns)) / rows;
    },
    async apply(vectors, columns) {
      const many = vectors.length;
      const packed = new Float32Array(width * many);
      vectors.forEach((vector, k) => {
        for (let j = 0; j < width; j++) packed[j * many + k] = vector[j]!;
      });
      const along = await device.times(packed, many);
      const base = 1 / (1 + scale * rest);
      const corrected = new Float32Array(many * count);
      for (let i = 0; i < count; i++) {
        const own = 1 / (1 + scale * Math.max(values[i]!, 0)) - base;
        for (let k = 0; k < many; k++) corrected[k * count + i] = along[i * many + k]! * own;
      }
      const back = await device.gather(corrected, many);
      vectors.forEach((vector, k) => {
        for (let j = 0; j < width; j++) vector[j] = base * vector[j]! + back[k * width + j]!;
        vector[width]! /= biasCurvature(C, columns[k]!);
      });
    },
    dispose: () => device.dispose(),
  };
}

/** Scores of centred features lack what the means would have given. */
function subtractMean(
  scores: Float32Array,
  vector: Float64Array,
  mean: Float64Array,
  inverse: Float64Array,
): void {
  const shift = vector.reduce((sum, value, j) => sum + value * inverse[j]! * mean[j]!, 0);
  for (let row = 0; row < scores.length; row++) scores[row]! -= shift;
}

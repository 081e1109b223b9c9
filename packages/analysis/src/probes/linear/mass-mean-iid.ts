import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";
import { probeFit, refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { rowSpread, spreadMoments, trainingSpreads } from "./row-spread.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

export interface MassMeanOptions {
  /**
   * Eigenvalues of the covariance up to this one count as 0 in its pseudo-inverse (default 1e-3, as in the source: a variance in the
   * units of the rows, so give a lower one for layers of small numbers). Rows that have none above it are refused.
   */
  tolerance?: number;
}

const optionsSchema = z.strictObject({ tolerance: z.number().min(0).default(1e-3) });

/**
 * Mass-mean probing, the IID form of Marks and Tegmark, "The Geometry of Truth" (2023): the difference of means, tilted by the
 * pseudo-inverse of the covariance within the classes. Their direct form is `differenceOfMeans`; what steerkit calls mass-mean is `lda`.
 * An eigendecomposition a training set and labels, of the smaller of rows and features. Throws InvalidRequestError; a fit throws ProbeError `not_positive_definite` where no
 * eigenvalue is above the tolerance.
 */
export function massMeanIid(options: MassMeanOptions = {}): Probe {
  const { tolerance } = checkOptions(optionsSchema, options, "massMeanIid options");
  const fit = async (matrix: ProbeMatrix, columns: readonly ProbeColumn[]) => {
    const fits: ProbeFit[] = [];
    for (const column of columns) fits.push(await fitColumn(matrix, column, tolerance));
    return fits;
  };
  const probe: Probe = {
    name: "mass-mean-iid",
    target: "classes",
    C: null,
    bias: "midpoint",
    formula:
      `w = Σ⁺(mean(positive) − mean(negative)), Σ = 1/n Σ (x − mean of its class)(x − mean of its class)ᵀ, pseudo-inverse with ` +
      `eigenvalues up to ${tolerance} as 0, raw space; bias half-way between the class means`,
    async fit(matrix, columns) {
      return [await fit(matrix, columns)];
    },
    fitAt: fit,
  };
  return knownProbe(probe, { name: "mass-mean-iid", options: { tolerance } });
}

async function fitColumn(matrix: ProbeMatrix, column: ProbeColumn, tolerance: number): Promise<ProbeFit> {
  refuseOneClass(column);
  const { width } = matrix;
  const classOf = Uint8Array.from(column.labels, (label) => (label ? 1 : 0));
  const [all] = trainingSpreads([column]);
  const spread = rowSpread(all!.weights, classOf, 2);
  const [low, high] = spreadMoments(spread, matrix.values, width).map(({ mean }) => mean);
  const rows = [...spread.weights.keys()].filter((row) => spread.weights[row]! > 0);
  // float64 all through: a threshold on eigenvalues tells rounding from covariance.
  const centred = new Float64Array(rows.length * width);
  rows.forEach((row, i) => {
    const mean = classOf[row] ? high! : low!;
    const share = Math.sqrt(spread.weights[row]! / spread.total);
    for (let j = 0; j < width; j++)
      centred[i * width + j] = share * (matrix.values[row * width + j]! - mean[j]!);
  });
  const step = high!.map((value, j) => value - low![j]!);
  const weights = pseudoInverse(centred, width, step, tolerance);
  const centeredBias = -(dot(low!, weights) + dot(high!, weights)) / 2;
  const [scores] = await matrix.scores([weights]);
  return probeFit(matrix, {
    weights,
    centeredBias,
    scores: Float64Array.from(scores!, (score) => score + centeredBias),
    ...{ converged: true, iterations: 0, gradientNorm: 0 },
  });
}

/** (ZᵀZ)⁺ · right, Z the rows of `centred`. Throws ProbeError `not_positive_definite` where no eigenvalue is above `tolerance`. */
function pseudoInverse(
  centred: Float64Array,
  width: number,
  right: Float64Array,
  tolerance: number,
): Float64Array {
  const rows = centred.length / width;
  const solved = new Float64Array(width);
  if (rows < width) {
    // Eigenvectors of ZᵀZ are Zᵀu / √λ of those u of ZZᵀ.
    const line = (row: number) => centred.subarray(row * width, (row + 1) * width);
    const { values, vectors } = symmetricEigen(gramOf(centred, rows, width), rows);
    const along = Float64Array.from({ length: rows }, (_, row) => dot(line(row), right));
    const shares = new Float64Array(rows);
    refuseSmall(values, tolerance);
    values.forEach((value, k) => {
      if (value > tolerance) addScaled(shares, dot(vectors[k]!, along) / value ** 2, vectors[k]!);
    });
    for (let row = 0; row < rows; row++) addScaled(solved, shares[row]!, line(row));
    return solved;
  }
  const features = Float64Array.from(
    centred,
    (_, at) => centred[(at % rows) * width + Math.floor(at / rows)]!,
  );
  const { values, vectors } = symmetricEigen(gramOf(features, width, rows), width);
  refuseSmall(values, tolerance);
  values.forEach((value, k) => {
    if (value > tolerance) addScaled(solved, dot(vectors[k]!, right) / value, vectors[k]!);
  });
  return solved;
}

function refuseSmall(values: ArrayLike<number>, tolerance: number): void {
  const largest = Array.from(values).reduce((most, value) => Math.max(most, value), 0);
  if (largest > tolerance) return;
  const message =
    `The covariance within the classes has no eigenvalue above the tolerance ${tolerance} (the largest is ${largest.toExponential(2)}), so ` +
    `that no direction is left. Give massMeanIid a lower tolerance: one that fits the variance of the layer.`;
  throw new ProbeError("not_positive_definite", message, { tolerance, largest });
}

/** Products of each two of `count` lines of `length` numbers. */
function gramOf(lines: Float64Array, count: number, length: number): Float64Array {
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    const own = lines.subarray(i * length, (i + 1) * length);
    for (let k = 0; k <= i; k++) {
      const value = dot(own, lines.subarray(k * length, (k + 1) * length));
      gram[i * count + k] = gram[k * count + i] = value;
    }
  }
  return gram;
}

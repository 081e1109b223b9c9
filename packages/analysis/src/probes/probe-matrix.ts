import { deviceMatrix } from "../backend/device-matrix.ts";
import { ProbeError } from "./probe-error.ts";

/** One layer's rows on the active backend. Every product serves many columns (folds, values of C, shuffles) at once. */
export interface ProbeMatrix {
  readonly rows: number;
  readonly width: number;
  /** `[rows, width]`, less `center`. */
  readonly values: Float32Array;
  readonly center: Float64Array;
  /** Scores of `weights` (`[columns, width]`) as `[columns, rows]`. */
  scores(weights: ArrayLike<number>[]): Promise<Float32Array[]>;
  /** Sums over rows of residual × row: `residuals` is `[columns, rows]`, the answer `[columns, width]`. */
  gather(residuals: ArrayLike<number>[]): Promise<Float32Array[]>;
  /** XᵀX, `[width, width]`. */
  gram(): Promise<Float32Array>;
  dispose(): void;
}

/**
 * Puts `values` (`[rows, width]`, untouched) on the backend, less a constant row (a median of some rows): float32 products of
 * features far from zero would lose digits. A constant shift changes no standardised value, whichever rows it came from.
 */
export function probeMatrix(values: Float32Array, width: number): ProbeMatrix {
  if (width < 1 || values.length === 0 || values.length % width !== 0) {
    throw new ProbeError("wrong_width", `${values.length} numbers are no whole rows of ${width}.`, { width });
  }
  const rows = values.length / width;
  const center = middleRow(values, rows, width);
  const centered = centeredRows(values, width, center);
  const x = deviceMatrix(centered, width);
  return {
    rows,
    width,
    values: centered,
    center,
    async scores(weights) {
      const columns = weights.length;
      const packed = new Float32Array(width * columns);
      weights.forEach((column, k) => {
        for (let j = 0; j < width; j++) packed[j * columns + k] = column[j]!;
      });
      const product = await x.times(packed, columns);
      return Array.from({ length: columns }, (_, k) => {
        const scores = new Float32Array(rows);
        for (let row = 0; row < rows; row++) scores[row] = product[row * columns + k]!;
        return scores;
      });
    },
    async gather(residuals) {
      const packed = new Float32Array(rows * residuals.length);
      residuals.forEach((column, k) => packed.set(column, k * rows));
      const product = await x.gather(packed, residuals.length);
      return residuals.map((_, k) => product.subarray(k * width, (k + 1) * width));
    },
    gram: () => x.gram(),
    dispose: () => x.dispose(),
  };
}

function centeredRows(values: Float32Array, width: number, center: Float64Array): Float32Array {
  const centered = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += width) {
    for (let j = 0; j < width; j++) {
      const value = Math.fround(values[start + j]! - center[j]!);
      // Infinity and NaN are the only numbers whose difference from themselves is not 0.
      if (value - value !== 0) throw notFinite(values[start + j]!, start / width, j);
      centered[start + j] = value;
    }
  }
  return centered;
}

function notFinite(given: number, row: number, feature: number): ProbeError {
  return new ProbeError(
    "not_finite",
    `Row ${row}, feature ${feature} is ${given}: probes need finite numbers.`,
    { row },
  );
}

function middleRow(values: Float32Array, rows: number, width: number): Float64Array {
  const sample = Math.min(rows, 63);
  const picked = Array.from({ length: sample }, (_, i) => Math.floor(((i + 0.5) * rows) / sample));
  return Float64Array.from({ length: width }, (_, j) => {
    const sorted = Float64Array.from(picked, (row) => values[row * width + j]!).sort();
    return sorted[sample >> 1]!;
  });
}

import { ProbeError } from "./probe-error.ts";

/** How many rows a center is the median of, at most. */
export const middleRows = 63;

/** Feature by feature the median of `sample` (`[rows, width]`). */
export function medianRow(sample: Float32Array, width: number): Float64Array {
  const rows = sample.length / width;
  return Float64Array.from({ length: width }, (_, j) => {
    const sorted = Float64Array.from({ length: rows }, (_, row) => sample[row * width + j]!).sort();
    return sorted[rows >> 1]!;
  });
}

/** Rows (`[rows, width]`) less `center`. Throws ProbeError `not_finite` with the row's number, `first` being that of the first. */
export function centeredRows(
  values: Float32Array,
  { width, center, first = 0 }: { width: number; center: Float64Array; first?: number },
): Float32Array<ArrayBuffer> {
  const centered = new Float32Array(values.length);
  for (let start = 0; start < values.length; start += width) {
    for (let j = 0; j < width; j++) {
      const value = Math.fround(values[start + j]! - center[j]!);
      // Infinity and NaN are the only numbers whose difference from themselves is not 0.
      if (value - value !== 0) throw notFinite(values[start + j]!, first + start / width, j);
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

import { startKernels } from "./kernel/kernels.ts";
import { copyLower } from "./copy-lower.ts";
import { solveLanes } from "./solve-lanes.ts";

const lanes = 8;

/**
 * Factors a symmetric positive definite `matrix` (`[size, size]`, row-major; only the lower half is read) in float32, in half of the time of
 * float64: to come near a solution, not to give one. Answers what solves for one right side; undefined where rounding has made the matrix
 * indefinite.
 */
export function singleCholesky(
  matrix: Float32Array | Float64Array,
  size: number,
): ((right: Float64Array) => Float64Array) | undefined {
  const kernels = startKernels();
  const padded = Math.ceil(size / 16) * 16;
  const factored = kernels.take(padded * padded * 4);
  const values = kernels.take(padded * lanes * 4);
  const scratch = kernels.take(16 * 16 * 4);
  copyLower(matrix, size, { lines: kernels.floats(factored, padded * padded), padded });
  if (kernels.run.factorSingle(factored, padded, scratch) >= 0) return undefined;
  return (right) => {
    const solved = new Float64Array(size);
    const view = kernels.floats(values, padded * lanes);
    solveLanes([right], [solved], { values: view, size, lanes }, () =>
      kernels.run.solveSingle(factored, padded, values),
    );
    return solved;
  };
}

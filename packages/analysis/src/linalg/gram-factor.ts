import { ProbeError } from "../probes/probe-error.ts";
import { startKernels } from "./kernel/kernels.ts";
import { solveLanes } from "./solve-lanes.ts";
import { turnRows } from "./turn-rows.ts";

/** Rows that are multiplied at once; also bounds what the kernel's memory takes. */
const chunk = 1024;

/** The Gram matrix G of features, of which scale · G + shift · I is factored for one scale after another, in float32. */
export interface GramFactor {
  /** The largest number on the diagonal of G. */
  readonly largest: number;
  /** Throws ProbeError `not_positive_definite`. */
  factor(scale: number, shift: number): void;
  /** x of (scale · G + shift · I) · x = right for each of `rights`, of which the first `width` numbers are read and written over. */
  solve(rights: readonly Float64Array[]): void;
}

/**
 * G = ZᵀZ with Z the rows of `values` (`[rows, width]`), each feature less `mean` and times `scale`: float32 products, float64 sums
 * over blocks of 256 rows. Computed, factored and solved by WebAssembly on the CPU, whatever the backend.
 */
export function gramFactor(
  values: Float32Array,
  { width, mean, scale: scales }: { width: number; mean: Float64Array; scale: Float64Array },
): GramFactor {
  const rows = values.length / width;
  const size = Math.ceil(width / 16) * 16;
  const depth = Math.min(chunk, Math.ceil(rows / 4) * 4);
  // Lines a power of two apart would fall into the same places of the cache.
  const line = (Math.ceil(depth / 16) | 1) * 16;
  const kernels = startKernels();
  const gram = kernels.take(size * size * 8);
  const factored = kernels.take(Math.max(size * size, size * line) * 4);
  const lanes = kernels.take(size * 32);
  const scratch = kernels.take(16 * 16 * 4);
  const turned = kernels.floats(factored, size * line);
  for (let first = 0; first < rows; first += depth) {
    const count = Math.min(depth, rows - first);
    if (count < depth) turned.fill(0);
    turnRows(values, { width, first, count, mean, scale: scales }, { turned, line });
    kernels.run.gramSingle(factored, size, depth, line * 4, gram);
  }
  const diagonal = kernels.doubles(gram, size * size).filter((_, at) => at % (size + 1) === 0);
  return {
    largest: diagonal.reduce((most, value) => Math.max(most, value), 0),
    factor(scale, shift) {
      kernels.run.shiftSingle(gram, size, scale, shift, factored);
      const failed = kernels.run.factorSingle(factored, size, scratch);
      if (failed < 0) return;
      const message = `${scale} times a Gram matrix of ${width} × ${width}, plus ${shift} on its diagonal, is not positive definite (column ${failed}).`;
      throw new ProbeError("not_positive_definite", message, { width, scale, shift, column: failed });
    },
    solve(rights) {
      const values = kernels.floats(lanes, size * 8);
      solveLanes(rights, rights, { values, size: width, lanes: 8 }, () =>
        kernels.run.solveSingle(factored, size, lanes),
      );
    },
  };
}

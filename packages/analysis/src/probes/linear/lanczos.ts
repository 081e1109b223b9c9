import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { createRandom } from "../../statistics/random.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const maxSteps = 200;
const tolerance = 1e-6;

export interface TopVector {
  /** Of length 1; all 0 where the matrix is. */
  readonly vector: Float64Array;
  readonly value: number;
  readonly converged: boolean;
  readonly iterations: number;
  /** ‖matrix · vector − value · vector‖. */
  readonly residualNorm: number;
}

/**
 * The largest eigenvalue of each positive semidefinite matrix `at` with its vector, by Lanczos's method with full orthogonalisation from a
 * seeded start: the same bits each time. `apply` multiplies one vector by each matrix.
 */
export async function topVectors(
  count: number,
  size: number,
  apply: (at: readonly number[], vectors: readonly Float64Array[]) => Promise<Float64Array[]>,
  seed: number,
): Promise<TopVector[]> {
  const random = createRandom(seed, "first component");
  const start = Float64Array.from({ length: size }, () => random.gaussian());
  const states = Array.from({ length: count }, (_, at) => ({
    at,
    basis: [unit(start)],
    diagonal: [] as number[],
    beside: [] as number[],
    found: undefined as TopVector | undefined,
  }));
  let open = states;
  for (let step = 1; open.length > 0; step++) {
    const images = await apply(
      open.map(({ at }) => at),
      open.map(({ basis }) => basis.at(-1)!),
    );
    open = open.filter((state, i) => {
      const { basis, diagonal, beside } = state;
      const next = images[i]!;
      diagonal.push(dot(next, basis.at(-1)!));
      // Twice: once leaves what rounding made of the first.
      for (let pass = 0; pass < 2; pass++)
        for (const vector of basis) addScaled(next, -dot(next, vector), vector);
      const norm = Math.sqrt(dot(next, next));
      const ended = step === Math.min(maxSteps, size);
      if (step % 4 === 0 || ended || norm <= 1e-12 * Math.abs(diagonal[0]!)) {
        state.found = topOf(basis, diagonal, beside, norm);
        if (ended || state.found.converged) return false;
      }
      beside.push(norm);
      basis.push(next.map((value) => value / norm));
      return true;
    });
  }
  return states.map(({ found }) => found!);
}

function topOf(
  basis: readonly Float64Array[],
  diagonal: readonly number[],
  beside: readonly number[],
  norm: number,
): TopVector {
  const size = basis.length;
  const small = new Float64Array(size * size);
  diagonal.forEach((value, i) => (small[i * size + i] = value));
  beside.forEach((value, i) => (small[i * size + i + 1] = small[(i + 1) * size + i] = value));
  const { values, vectors } = symmetricEigen(small, size);
  const vector = new Float64Array(basis[0]!.length);
  basis.forEach((each, i) => addScaled(vector, vectors[0]![i]!, each));
  const residualNorm = Math.abs(norm * vectors[0]![size - 1]!);
  const value = values[0]!;
  if (!(value > 0))
    return { vector: vector.fill(0), value: 0, converged: true, iterations: size, residualNorm: 0 };
  return {
    vector: unit(vector),
    value,
    converged: residualNorm <= tolerance * value,
    iterations: size,
    residualNorm,
  };
}

function unit(vector: Float64Array): Float64Array {
  const norm = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / norm);
}

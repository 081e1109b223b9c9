import { cholesky, type Cholesky } from "../../linalg/cholesky.ts";
import { symmetricEigen } from "../../linalg/symmetric-eigen.ts";
import { createRandom } from "../../statistics/random.ts";
import { ProbeError } from "../probe-error.ts";
import { inverseKrylov } from "./inverse-krylov.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

/** A symmetric positive semidefinite matrix `[size, size]`, whole. */
export interface Kernel {
  readonly size: number;
  readonly values: Float64Array;
}

interface ShiftedRight {
  readonly right: Float64Array;
  readonly lambda: number;
}

/** Solves (kernel + λ) · x = right for λ from a list, by the few factors that were made for it. */
export interface ShiftedSystems {
  /** Until what is left of each right side is below `share` of it. Those with the same `right` (the same array) share the work. */
  solve(systems: readonly ShiftedRight[], share: number): Float64Array[];
}

/** How far a factor may be from a system of another λ: the square root is about the number of rounds that it costs. */
const widestRatio = 16;

/** `lambdas` ascending, `level` about the smallest eigenvalue of the kernel. One factor serves all λ near it. */
export function shiftedSystems(kernel: Kernel, lambdas: readonly number[], level: number): ShiftedSystems {
  const anchors: { factor: Cholesky; shift: number; last: number }[] = [];
  for (let first = 0; first < lambdas.length;) {
    const low = level + lambdas[first]!;
    let end = first + 1;
    while (end < lambdas.length && level + lambdas[end]! <= widestRatio ** 2 * low) end++;
    const last = lambdas[end - 1]!;
    const middle = end === first + 1 ? last : Math.sqrt(low * (level + last)) - level;
    anchors.push({ ...factorShifted(kernel, middle), last });
    first = end;
  }
  return {
    solve(systems, share) {
      const solutions = new Array<Float64Array>(systems.length);
      const bySide = new Map<Float64Array, { at: number; offset: number }[]>();
      let before = 0;
      for (const { factor, shift, last } of anchors) {
        bySide.clear();
        systems.forEach(({ right, lambda }, at) => {
          if (lambda <= before || lambda > last) return;
          const own = bySide.get(right) ?? [];
          own.push({ at, offset: lambda - shift });
          bySide.set(right, own);
        });
        const sides = [...bySide].map(([right, own]) => ({
          right,
          offsets: own.map(({ offset }) => offset),
        }));
        const found = inverseKrylov(factor, sides, share);
        [...bySide.values()].forEach((own, k) => own.forEach(({ at }, i) => (solutions[at] = found[k]![i]!)));
        before = last;
      }
      return solutions;
    },
  };
}

/** The factor of kernel + shift, or of a larger one where float32 rounding has made the kernel indefinite. */
function factorShifted({ size, values }: Kernel, lambda: number): { factor: Cholesky; shift: number } {
  let diagonal = 0;
  for (let i = 0; i < size; i++) diagonal = Math.max(diagonal, values[i * (size + 1)]!);
  let shift = lambda;
  for (let tries = 0; ; tries++) {
    const shifted = values.slice();
    for (let i = 0; i < size; i++) shifted[i * (size + 1)]! += shift;
    try {
      return { factor: cholesky(shifted, size), shift };
    } catch (error) {
      if (!(error instanceof ProbeError) || tries === 5) throw error;
      shift = Math.max(10 * shift, 1e-7 * diagonal);
    }
  }
}

/** Roughly the smallest eigenvalue, from above: it decides where the factors are, not what is solved. */
export function lowestLevel({ size, values }: Kernel): number {
  const random = createRandom(0, "lowest level");
  const basis: Float64Array[] = [];
  const small: number[][] = [];
  let vector: Float64Array = Float64Array.from({ length: size }, () => random.gaussian());
  for (let step = 0; step < Math.min(12, size); step++) {
    const norm = Math.sqrt(dot(vector, vector));
    if (!(norm > 1e-9 * Math.abs(small[0]?.[0] ?? 0))) break;
    const own = vector.map((each) => each / norm);
    basis.push(own);
    const image = new Float64Array(size);
    for (let i = 0; i < size; i++) image[i] = dot(values.subarray(i * size, (i + 1) * size), own);
    small.push(basis.map((each) => dot(each, image)));
    for (let pass = 0; pass < 2; pass++) for (const each of basis) addScaled(image, -dot(each, image), each);
    vector = image;
  }
  const count = basis.length;
  const whole = Float64Array.from({ length: count * count }, (_, at) => {
    const [i, k] = [Math.floor(at / count), at % count];
    return i >= k ? small[i]![k]! : small[k]![i]!;
  });
  return Math.max(0, symmetricEigen(whole, count).values.at(-1)!);
}

import { addScaled, dot } from "../../linalg/vectors.ts";

const maxRounds = 200;
/** A solution is done when its error, in the norm of the system, is below this share of the solution's … */
const goal = 1e-7;
/** … and still counts when rounding lets it come no closer than this. */
const enough = 2e-5;
/** Rounds without a smaller error after which rounding is all that is left. */
const patience = 10;

export interface LinearSolution {
  readonly solution: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of target − matrix · solution. */
  readonly residualNorm: number;
}

/**
 * Solves matrix · x = target by preconditioned conjugate gradients: `apply` multiplies by the matrix, which is symmetric and positive
 * (semi)definite, and `inverse` by about its inverse: the closer it is, the fewer the rounds.
 */
export function conjugateGradients(
  target: Float64Array,
  apply: (vector: Float64Array) => Float64Array,
  inverse: (vector: Float64Array) => Float64Array,
): LinearSolution {
  const solution = new Float64Array(target.length);
  const residual = target.slice();
  let search = inverse(residual);
  let energy = dot(residual, search);
  let [error, least, since] = [Infinity, Infinity, 0];
  let iterations = 0;
  if (!(energy > 0)) error = target.some((each) => each !== 0) ? Infinity : 0;
  else {
    while (iterations < maxRounds && error > goal && since < patience) {
      const image = apply(search);
      const curvature = dot(search, image);
      if (!(curvature > 0)) break;
      const length = energy / curvature;
      addScaled(solution, length, search);
      addScaled(residual, -length, image);
      const step = inverse(residual);
      const next = dot(residual, step);
      error = Math.sqrt(Math.max(0, next) / Math.max(dot(target, solution), Number.MIN_VALUE));
      since = error < least ? 0 : since + 1;
      least = Math.min(least, error);
      addScaled(step, next / energy, search);
      search = step;
      energy = next;
      iterations++;
    }
  }
  return {
    solution,
    converged: error <= enough,
    iterations,
    residualNorm: Math.sqrt(dot(residual, residual)),
  };
}

import { logisticSteps } from "./logistic-steps.ts";
import type { LogisticPreconditioner } from "./logistic-preconditioner.ts";
import { dot, foldedGather, foldedScores } from "./logistic-state.ts";
import type { LogisticState } from "./logistic-state.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";

const maxIterations = 100;
/** A column is done when a Newton step promises less than this share of its objective … */
const decrementTolerance = 1e-7;
/** … and moves its weights by less than this share of their norm. */
const stepTolerance = 1e-3;
/** The objective curves by at least 1 in every weight, so ½‖gradient‖² bounds what is left to gain: at most this share. */
const gapTolerance = 1e-5;

export interface LogisticEnd {
  converged: boolean;
  iterations: number;
  gradientNorm: number;
  objective: number;
}

/**
 * Newton's method with conjugate gradients on all columns at once, from where the states stand to the optimum at `C`.
 * A column that is done leaves the products. Says for each column where it ended.
 */
export async function logisticNewton(
  matrix: ProbeMatrix,
  states: readonly LogisticState[],
  C: number,
  preconditioner: LogisticPreconditioner,
): Promise<LogisticEnd[]> {
  const progress = states.map(() => ({ converged: false, iterations: 0, closeness: Infinity }));
  let active = states.map((_, k) => k);
  for (let iteration = 1; iteration <= maxIterations && active.length > 0; iteration++) {
    const group = active.map((k) => states[k]!);
    const points = group.map((state) => state.residuals());
    const residuals = points.map((point) => point.residual);
    const parameters = group.map((state) => state.parameters);
    const gradients = await foldedGather(matrix, group, residuals, C, parameters);
    const steps = await logisticSteps(matrix, group, {
      C,
      gradients,
      curvatures: points.map((point) => point.curvature),
      // Loose far from the optimum, tight near it, where the step also serves as the certificate of convergence.
      tolerances: active.map((k) => (progress[k]!.closeness < 1e-3 ? 1e-2 : 1e-1)),
      preconditioner,
    });
    active = active.filter((k, at) => {
      progress[k]!.iterations = iteration;
      return !takeStep(group[at]!, C, gradients[at]!, steps[at]!, progress[k]!);
    });
  }
  return finish(matrix, states, C, progress);
}

interface Progress {
  converged: boolean;
  closeness: number;
}

/** Moves the state along its step; true when the column is done, for better or worse. */
function takeStep(
  state: LogisticState,
  C: number,
  gradient: Float64Array,
  { step, stepScores }: { step: Float64Array; stepScores: Float64Array },
  progress: Progress,
): boolean {
  const before = state.objective(C);
  const slope = dot(gradient, step);
  const wasClose = progress.closeness < 1e-3;
  progress.closeness = -slope / 2 / before;
  const weights = state.parameters.subarray(0, state.width);
  const move = step.subarray(0, state.width);
  const small = dot(move, move) <= stepTolerance ** 2 * dot(weights, weights);
  const done = wasClose && progress.closeness <= decrementTolerance && small;
  // The scores are linear in the step, so trying lengths needs no product.
  for (let t = 1; t > 1e-9; t /= 2) {
    if (state.objective(C, t, stepScores, step) > before + 1e-4 * t * slope && !done) continue;
    state.advance(t, step, stepScores);
    progress.converged = done;
    return done;
  }
  return true;
}

/** Scores anew from the final weights (sums of steps drift), then the objective and gradient there. */
async function finish(
  matrix: ProbeMatrix,
  states: readonly LogisticState[],
  C: number,
  progress: readonly { converged: boolean; iterations: number }[],
): Promise<LogisticEnd[]> {
  const parameters = states.map((state) => state.parameters);
  const scores = await foldedScores(matrix, states, parameters);
  states.forEach((state, k) => (state.scores = scores[k]!));
  const residuals = states.map((state) => state.residuals().residual);
  const gradients = await foldedGather(matrix, states, residuals, C, parameters);
  return states.map((state, k) => {
    const squares = dot(gradients[k]!, gradients[k]!);
    const objective = state.objective(C);
    return {
      converged: progress[k]!.converged && squares / 2 <= gapTolerance * objective,
      iterations: progress[k]!.iterations,
      gradientNorm: Math.sqrt(squares),
      objective,
    };
  });
}

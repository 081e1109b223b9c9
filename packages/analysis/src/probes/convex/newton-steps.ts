import { type ConvexFit, convexGather, convexScores } from "./convex-fit.ts";
import type { LayerProducts } from "./layer-products.ts";
import type { RowCurve } from "./row-loss.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const mostRounds = 250;

export interface NewtonProblem {
  readonly fit: ConvexFit;
  readonly gradient: Float64Array;
  readonly curve: RowCurve;
  readonly C: number;
  /** The squared penalty's factor of each parameter (0 for a bias), or null for 1 of each weight. */
  readonly ridge?: number;
  /** 1 for parameters that may move; all when left out. */
  readonly free?: Uint8Array;
  /** The residual's share of the gradient, in norm, at which to stop. */
  readonly tolerance: number;
}

/**
 * Solves (C · Hessian of the loss + ridge) · step = −gradient for each problem by conjugate gradients. Two products with the
 * layer's rows a round, shared by the problems at work.
 */
export async function newtonSteps(
  products: LayerProducts,
  problems: readonly NewtonProblem[],
): Promise<Float64Array[]> {
  const lanes = problems.map((problem) => {
    const residual = problem.gradient.map((value, j) => (problem.free && !problem.free[j] ? 0 : -value));
    const scaled = precondition(problem, residual);
    const energy = dot(residual, scaled);
    return {
      problem,
      residual,
      energy,
      goal: energy * problem.tolerance ** 2,
      search: scaled,
      step: new Float64Array(residual.length),
    };
  });
  let active = lanes.filter((lane) => lane.energy > 0);
  for (let round = 0; round < mostRounds && active.length > 0; round++) {
    const fits = active.map(({ problem }) => problem.fit);
    const scores = await convexScores(
      products,
      fits,
      active.map(({ search }) => search),
    );
    const gathered = await convexGather(
      products,
      fits,
      active.map(({ problem }, i) => problem.curve.times(scores[i]!)),
    );
    active = active.filter((lane, i) => {
      const product = curved(lane.problem, gathered[i]!, lane.search);
      const curvature = dot(lane.search, product);
      // Rounding, or a direction in which the loss is flat: what is found so far is a descent direction all the same.
      if (!(curvature > 0)) return false;
      const length = lane.energy / curvature;
      addScaled(lane.step, length, lane.search);
      addScaled(lane.residual, -length, product);
      const scaled = precondition(lane.problem, lane.residual);
      const energy = dot(lane.residual, scaled);
      addScaled(scaled, energy / lane.energy, lane.search);
      lane.search = scaled;
      lane.energy = energy;
      return energy > lane.goal;
    });
  }
  return lanes.map(({ step }) => step);
}

function curved(
  { fit, C, ridge = 1, free }: NewtonProblem,
  gathered: Float64Array,
  search: Float64Array,
): Float64Array {
  return gathered.map((value, at) => {
    if (free && !free[at]) return 0;
    const isBias = at % (fit.width + 1) === fit.width;
    return C * value + (isBias ? 0 : ridge * search[at]!);
  });
}

/** Standardised features all have the curvature of the rows' sum, so only the bias, which has no penalty, differs. */
function precondition({ fit, C, curve, ridge = 1 }: NewtonProblem, residual: Float64Array): Float64Array {
  return residual.map((value, at) => {
    const column = Math.floor(at / (fit.width + 1));
    const held = C * curve.totals[column]!;
    return (
      value / (at % (fit.width + 1) === fit.width ? Math.max(held, 1e-12) : Math.max(held + ridge, 1e-12))
    );
  });
}

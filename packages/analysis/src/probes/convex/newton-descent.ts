import type { ProbeMatrix } from "../probe-matrix.ts";
import type { StandardMoments } from "../standard-moments.ts";
import { type ConvexFit, convexGather, convexScores } from "./convex-fit.ts";
import { type DenseRows, denseRows, denseStep, largestDense } from "./dense-newton.ts";
import { exactProducts, type LayerProducts } from "./layer-products.ts";
import { newtonSteps } from "./newton-steps.ts";
import type { RowCurve } from "./row-loss.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const mostIterations = 25;
const mostExact = 100;
/** A fit is done when what is left to gain is at most this share of its objective. */
const gapTolerance = 1e-6;
/** … and what the gradient could still move its weights by is at most this share of them: under a strong penalty they gain next to nothing. */
const moveTolerance = 1e-2;
/** A step whose gain is below this share of the objective is lost in its rounding. */
const roundingShare = 1e-12;

export interface ConvexEnd {
  readonly converged: boolean;
  readonly iterations: number;
  readonly gradientNorm: number;
  /** C · Σ loss + ½‖w‖² */
  readonly objective: number;
}

/**
 * Newton's method on all fits at once, from where they stand to the minimum of C · Σ loss + ½‖w‖². First with conjugate gradients on the
 * backend's products (float32). What these do not bring to the tolerance (a weak penalty, features that are nearly sums of others)
 * goes on in float64: factored, one fit at a time, where there are few enough rows or features, else with conjugate gradients again.
 */
export async function newtonDescent(
  matrix: ProbeMatrix,
  fits: readonly ConvexFit[],
  C: number,
): Promise<ConvexEnd[]> {
  const ends = await descend(matrix, iterativeSteps(matrix, C), fits, { C, most: mostIterations });
  const weak = fits.filter((_, i) => !ends[i]!.converged);
  if (weak.length === 0) return ends;
  const exact = exactProducts(matrix);
  const isSmall = (fit: ConvexFit) =>
    fit.loss.columns === 1 && Math.min(matrix.rows, fit.width) <= largestDense;
  const steps = weak.every(isSmall) ? denseSteps(matrix, C) : iterativeSteps(exact, C);
  const finished = await descend(exact, steps, weak, { C, most: mostExact });
  let at = 0;
  return ends.map((end) => {
    if (end.converged) return end;
    const last = finished[at++]!;
    return { ...last, iterations: end.iterations + last.iterations };
  });
}

interface Point {
  readonly fit: ConvexFit;
  readonly gradient: Float64Array;
  readonly curve: RowCurve;
  /** What is left to gain at most, as a share of the objective. */
  readonly closeness: number;
}

type Steps = (points: readonly Point[]) => Promise<Float64Array[]>;

function iterativeSteps(products: LayerProducts, C: number): Steps {
  return (points) =>
    newtonSteps(
      products,
      points.map(({ fit, gradient, curve, closeness }) => ({
        fit,
        gradient,
        curve,
        C,
        tolerance: Math.min(0.1, Math.max(1e-4, Math.sqrt(closeness))),
      })),
    );
}

function denseSteps(matrix: ProbeMatrix, C: number): Steps {
  // Fits of the same training rows have the same moments, and share the Gram matrix.
  const known = new Map<StandardMoments, DenseRows>();
  return (points) =>
    Promise.resolve(
      points.map(({ fit, gradient, curve }) => {
        let dense = known.get(fit.moments);
        if (!dense) known.set(fit.moments, (dense = denseRows(matrix, fit)));
        const [curvature] = curve.times([new Float64Array(matrix.rows).fill(C)]);
        return denseStep(dense, { width: fit.width, gradient, curvature: curvature! });
      }),
    );
}

interface Lane {
  readonly fit: ConvexFit;
  end: ConvexEnd;
  stalled: boolean;
}

async function descend(
  products: LayerProducts,
  stepsOf: Steps,
  fits: readonly ConvexFit[],
  { C, most }: { C: number; most: number },
): Promise<ConvexEnd[]> {
  const unknown = { converged: false, iterations: 0, gradientNorm: Infinity, objective: Infinity };
  const lanes = fits.map((fit): Lane => ({ fit, end: unknown, stalled: false }));
  let active = lanes;
  for (let iteration = 0; iteration <= most && active.length > 0; iteration++) {
    const points = await measure(products, active, C, iteration);
    const open = active
      .map((lane, i) => ({ lane, point: points[i]! }))
      .filter(({ lane }) => !lane.end.converged);
    if (open.length === 0 || iteration === most) break;
    const steps = await stepsOf(open.map(({ point }) => point));
    const stepScores = await convexScores(
      products,
      open.map(({ lane }) => lane.fit),
      steps,
    );
    open.forEach(({ lane, point }, i) => {
      lane.stalled = !takeStep(lane, C, dot(point.gradient, steps[i]!), steps[i]!, stepScores[i]!);
    });
    // A step that gained nothing has met the rounding of the products.
    active = open.map(({ lane }) => lane).filter((lane) => !lane.stalled);
  }
  return lanes.map(({ end }) => end);
}

/** Scores anew from the parameters (sums of steps drift), the gradient, and whether that is the minimum. */
async function measure(
  products: LayerProducts,
  lanes: readonly Lane[],
  C: number,
  iterations: number,
): Promise<Point[]> {
  const fits = lanes.map(({ fit }) => fit);
  const scores = await convexScores(
    products,
    fits,
    fits.map(({ parameters }) => parameters),
  );
  fits.forEach((fit, i) => (fit.scores = scores[i]!));
  const gathered = await convexGather(
    products,
    fits,
    fits.map(({ loss, scores }) => loss.slopes(scores)),
  );
  return lanes.map((lane, i) => {
    const { fit } = lane;
    const { width, loss } = fit;
    const curve = loss.curve(fit.scores);
    const gradient = gathered[i]!.map(
      (value, at) => C * value + (at % (width + 1) === width ? 0 : fit.parameters[at]!),
    );
    const objective = C * loss.at(fit.scores) + fit.halfSquares();
    // The objective curves by at least 1 in each weight, so ½‖gradient‖² bounds what is left to gain there; a bias is held by the rows.
    let left = 0;
    gradient.forEach((value, at) => {
      const isBias = at % (width + 1) === width;
      const held = isBias ? C * curve.totals[Math.floor(at / (width + 1))]! : 1;
      if (value !== 0) left += value ** 2 / (2 * Math.max(held, 1e-12));
    });
    const closeness = left / Math.max(objective, Number.MIN_VALUE);
    lane.end = {
      converged: closeness <= gapTolerance && isSettled(fit, gradient, C * Math.max(...curve.totals)),
      iterations,
      gradientNorm: Math.sqrt(dot(gradient, gradient)),
      objective,
    };
    return { fit, gradient, curve, closeness };
  });
}

/** Standardised features curve by about `held`, and the penalty by 1. */
function isSettled(fit: ConvexFit, gradient: Float64Array, held: number): boolean {
  const isWeight = (_: number, at: number) => at % (fit.width + 1) !== fit.width;
  return (
    norm(gradient.filter(isWeight)) <= moveTolerance * (1 + held) * norm(fit.parameters.filter(isWeight))
  );
}

/** Without squares of tiny numbers, which would round to 0. */
function norm(values: Float64Array): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return 0;
  const shares = values.map((value) => value / largest);
  return largest * Math.sqrt(dot(shares, shares));
}

/** Moves the fit along its step to the least objective on the way; false when no length of it gains anything. */
function takeStep(
  { fit, end }: Lane,
  C: number,
  slope: number,
  step: Float64Array,
  stepScores: readonly Float64Array[],
): boolean {
  const t = bestLength(fit, C, slope, step, stepScores);
  const parameters = fit.parameters.slice();
  addScaled(parameters, t, step);
  const objective = C * fit.loss.at(fit.scoresAfter(t, stepScores)) + fit.halfSquares(parameters);
  // Under a strong penalty no gain can be seen, and the slope, which falls all the way, is to be trusted.
  const isBlind =
    -slope * t <= roundingShare * end.objective && fit.halfSquares() <= roundingShare * objective;
  const rounding = isBlind ? roundingShare * end.objective : 0;
  if (!(objective < end.objective + rounding)) return false;
  fit.parameters = parameters;
  return true;
}

/**
 * The zero of the objective's slope along the step, by regula falsi between lengths that enclose it. The scores are linear in the step,
 * so that no length needs a product. (A full step would go to and fro between the pieces of the squared hinge.)
 */
function bestLength(
  fit: ConvexFit,
  C: number,
  slope: number,
  step: Float64Array,
  stepScores: readonly Float64Array[],
): number {
  let across = 0;
  let along = 0;
  for (const [k, part] of fit.parts(step).entries()) {
    const own = fit.part(fit.parameters, k);
    for (let j = 0; j < fit.width; j++) {
      across += part[j]! * own[j]!;
      along += part[j]! ** 2;
    }
  }
  const slopeAt = (t: number) =>
    C *
      fit.loss
        .slopes(fit.scoresAfter(t, stepScores))
        .reduce((sum, column, k) => sum + dot(column, stepScores[k]!), 0) +
    across +
    t * along;
  let [low, lowSlope] = [0, slope];
  let [high, highSlope] = [1, slopeAt(1)];
  while (highSlope < 0 && high < 1e6) {
    [low, lowSlope] = [high, highSlope];
    high *= 2;
    highSlope = slopeAt(high);
  }
  for (let round = 0; round < 40; round++) {
    const share = lowSlope / (lowSlope - highSlope);
    // Never so near an end that the other one stays.
    const t = low + (high - low) * Math.min(0.9, Math.max(0.1, share));
    const here = slopeAt(t);
    if (Math.abs(here) <= 1e-3 * Math.abs(slope)) return t;
    if (here < 0) [low, lowSlope] = [t, here];
    else [high, highSlope] = [t, here];
  }
  return low > 0 ? low : high;
}

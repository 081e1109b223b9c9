import { type ConvexFit, convexGather, convexScores } from "../convex/convex-fit.ts";
import { exactProducts, type LayerProducts } from "../convex/layer-products.ts";
import type { ConvexEnd } from "../convex/newton-descent.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";
import type { ProbeColumn } from "../probe.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { coordinateStep } from "./coordinate-step.ts";
import {
  dualityGap,
  elasticObjective,
  type ElasticPenalty,
  leastGradient,
  settleBias,
  smoothGradient,
} from "./elastic-fit.ts";

const mostIterations = 100;
/** A fit is done when its duality gap is at most this share of its objective. */
const gapTolerance = 2e-6;
/** Weights that may leave zero in one step, at least. */
const fewestWorking = 64;

export interface ElasticLane {
  readonly fit: ConvexFit;
  readonly column: ProbeColumn;
}

interface Running extends ElasticLane {
  end: ConvexEnd;
  stalled: boolean;
}

/**
 * The minimum of C · Σ loss + ratio · Σ|w| + (1 − ratio)/2 · Σw² for all fits: a proximal Newton method, its gradients two products
 * shared by all fits, its steps coordinate descent over the weights that are not zero or want to leave it. A fit ends on its duality
 * gap; those that float32 products cannot bring there end with float64 ones.
 */
export async function elasticDescent(
  matrix: ProbeMatrix,
  lanes: readonly ElasticLane[],
  penalty: ElasticPenalty,
): Promise<ConvexEnd[]> {
  const ends = await descend(matrix, matrix, lanes, penalty);
  const weak = lanes.filter((_, i) => !ends[i]!.converged);
  if (weak.length === 0) return ends;
  const finished = await descend(matrix, exactProducts(matrix), weak, penalty);
  let at = 0;
  return ends.map((end) => {
    if (end.converged) return end;
    const last = finished[at++]!;
    return { ...last, iterations: end.iterations + last.iterations };
  });
}

async function descend(
  matrix: ProbeMatrix,
  products: LayerProducts,
  lanes: readonly ElasticLane[],
  penalty: ElasticPenalty,
): Promise<ConvexEnd[]> {
  const unknown = { converged: false, iterations: 0, gradientNorm: Infinity, objective: Infinity };
  const running = lanes.map((lane): Running => ({ ...lane, end: unknown, stalled: false }));
  let active = running;
  for (let iteration = 0; iteration <= mostIterations && active.length > 0; iteration++) {
    const points = await measure(products, active, penalty, iteration);
    const open = active.map((lane, i) => ({ lane, ...points[i]! })).filter(({ lane }) => !lane.end.converged);
    if (iteration === mostIterations) break;
    for (const { lane, gradient, closeness } of open) {
      const { fit } = lane;
      const { step, stepScores } = coordinateStep(matrix, fit, {
        penalty,
        gradient,
        curvature: fit.loss.curve(fit.scores).times([new Float64Array(matrix.rows).fill(1)])[0]!,
        working: workingSet(fit, gradient, penalty.ratio),
        tolerance: Math.min(1e-3, Math.max(1e-9, 1e-2 * closeness)),
      });
      lane.stalled = !takeStep(lane, penalty, step, stepScores);
    }
    active = open.map(({ lane }) => lane).filter((lane) => !lane.stalled);
  }
  return running.map(({ end }) => end);
}

/** Scores anew from the parameters, the gradient of the smooth part, and the duality gap. */
async function measure(
  products: LayerProducts,
  lanes: readonly Running[],
  penalty: ElasticPenalty,
  iterations: number,
): Promise<{ gradient: Float64Array; closeness: number }[]> {
  const fits = lanes.map(({ fit }) => fit);
  const scores = await convexScores(
    products,
    fits,
    fits.map(({ parameters }) => parameters),
  );
  fits.forEach((fit, i) => {
    fit.scores = scores[i]!;
    settleBias(fit);
  });
  const gathered = await convexGather(
    products,
    fits,
    fits.map(({ loss, scores }) => loss.slopes(scores)),
  );
  return lanes.map((lane, i) => {
    const { fit, column } = lane;
    const objective = elasticObjective(fit, penalty);
    const gap = dualityGap(
      fit,
      column,
      penalty,
      gathered[i]!.map((value) => penalty.C * value),
    );
    const gradient = smoothGradient(fit, penalty, gathered[i]!);
    const least = leastGradient(fit, gradient, penalty.ratio);
    lane.end = {
      converged: gap <= gapTolerance * objective,
      iterations,
      gradientNorm: Math.sqrt(dot(least, least)),
      objective,
    };
    return { gradient, closeness: gap / objective };
  });
}

/** The weights that are not zero, and those that want most to leave it: as many again, at least `fewestWorking`. */
function workingSet(fit: ConvexFit, gradient: Float64Array, ratio: number): number[] {
  const held: number[] = [];
  const leaving: number[] = [];
  for (let j = 0; j < fit.width; j++) {
    if (fit.parameters[j] !== 0) held.push(j);
    else if (Math.abs(gradient[j]!) > ratio) leaving.push(j);
  }
  leaving.sort((a, b) => Math.abs(gradient[b]!) - Math.abs(gradient[a]!));
  return [...held, ...leaving.slice(0, Math.max(fewestWorking, held.length))].sort((a, b) => a - b);
}

/** Moves the fit along its step by the first length (1, ½, ¼ …) that gains; false when none does. */
function takeStep(
  lane: Running,
  penalty: ElasticPenalty,
  step: Float64Array,
  stepScores: Float64Array,
): boolean {
  const { fit, end } = lane;
  for (let t = 1; t > 1e-6; t /= 2) {
    const parameters = fit.parameters.slice();
    addScaled(parameters, t, step);
    if (!(elasticObjective(fit, penalty, parameters, fit.scoresAfter(t, [stepScores])) < end.objective))
      continue;
    fit.parameters = parameters;
    return true;
  }
  return false;
}

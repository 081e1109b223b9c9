import { addScaled, dot } from "../../linalg/vectors.ts";

const memory = 10;

/** What a function is at a point. */
export interface Evaluation {
  readonly value: number;
  readonly gradient: Float64Array;
  /** Loss of rows that take no part in the value: the descent ends where it stops falling. */
  readonly heldOut?: number;
}

export interface DescentEnd extends Evaluation {
  readonly point: Float64Array;
  readonly iterations: number;
  readonly gradientNorm: number;
  /** The gradient fell to the tolerance, or the held-out loss stopped falling. */
  readonly converged: boolean;
}

/**
 * Minimises a function by limited-memory BFGS (Nocedal 1980; ten pairs) with lengths halved until they gain (Armijo). With a held-out
 * loss, it ends once that has not fallen for `patience` steps, and the best point by it is what comes back.
 */
export async function lbfgs(
  evaluate: (point: Float64Array) => Promise<Evaluation>,
  start: Float64Array,
  options: { most: number; tolerance: number; patience?: number },
): Promise<DescentEnd> {
  const { most, tolerance, patience = Infinity } = options;
  let point = start;
  let here = await evaluate(point);
  const endAt = (iterations: number, converged: boolean): DescentEnd => ({
    ...here,
    ...{ point, iterations, converged, gradientNorm: Math.sqrt(dot(here.gradient, here.gradient)) },
  });
  let best = endAt(0, false);
  const pairs: { step: Float64Array; change: Float64Array; along: number }[] = [];
  for (let iteration = 1; iteration <= most; iteration++) {
    const size = Math.sqrt(dot(here.gradient, here.gradient));
    const stale = iteration - 1 - best.iterations > patience;
    if (size <= tolerance || stale) return { ...best, converged: true };
    let direction = towards(here.gradient, pairs);
    let slope = dot(direction, here.gradient);
    if (!(slope < 0)) {
      pairs.length = 0;
      direction = here.gradient.map((value) => -value);
      slope = -(size ** 2);
    }
    const first = pairs.length === 0 ? Math.min(1, 1 / size) : 1;
    const next = await search(evaluate, { point, here, direction, slope, first });
    // No length gains: the value has met the rounding of its products.
    if (!next)
      return pairs.length === 0
        ? { ...best, converged: size <= 1e3 * tolerance || patience < Infinity }
        : await again();
    const step = next.point.map((value, j) => value - point[j]!);
    const change = next.here.gradient.map((value, j) => value - here.gradient[j]!);
    const along = dot(step, change);
    if (along > 1e-10 * Math.sqrt(dot(step, step) * dot(change, change))) pairs.push({ step, change, along });
    if (pairs.length > memory) pairs.shift();
    ({ point, here } = next);
    if (here.heldOut === undefined || here.heldOut < best.heldOut!) best = endAt(iteration, false);
  }
  return best;

  /** From the same point without what earlier steps taught, which may have misled. */
  async function again(): Promise<DescentEnd> {
    const rest = await lbfgs(evaluate, point, options);
    const kept = best.heldOut !== undefined && !(rest.heldOut! < best.heldOut) ? best : rest;
    return { ...kept, iterations: best.iterations + rest.iterations, converged: rest.converged };
  }
}

/** The two-loop recursion: minus the gradient, turned by the curvature that the pairs have shown. */
function towards(
  gradient: Float64Array,
  pairs: readonly { step: Float64Array; change: Float64Array; along: number }[],
): Float64Array {
  const direction = gradient.map((value) => -value);
  const shares: number[] = [];
  for (let i = pairs.length - 1; i >= 0; i--) {
    const { step, change, along } = pairs[i]!;
    shares[i] = dot(step, direction) / along;
    addScaled(direction, -shares[i]!, change);
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = last.along / dot(last.change, last.change);
    for (let j = 0; j < direction.length; j++) direction[j]! *= scale;
  }
  pairs.forEach(({ step, change, along }, i) =>
    addScaled(direction, shares[i]! - dot(change, direction) / along, step),
  );
  return direction;
}

async function search(
  evaluate: (point: Float64Array) => Promise<Evaluation>,
  from: { point: Float64Array; here: Evaluation; direction: Float64Array; slope: number; first: number },
): Promise<{ point: Float64Array; here: Evaluation } | undefined> {
  const { here, direction, slope } = from;
  let length = from.first;
  for (let round = 0; round < 30; round++, length /= 2) {
    const point = from.point.slice();
    addScaled(point, length, direction);
    const there = await evaluate(point);
    if (there.value <= here.value + 1e-4 * length * slope && there.value < here.value)
      return { point, here: there };
  }
  return undefined;
}

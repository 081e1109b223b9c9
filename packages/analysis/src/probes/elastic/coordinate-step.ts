import { cholesky } from "../../linalg/cholesky.ts";
import type { ConvexFit } from "../convex/convex-fit.ts";
import { largestDense } from "../convex/dense-newton.ts";
import { rowGram } from "../convex/row-gram.ts";
import { addScaled } from "../../linalg/vectors.ts";
import { ProbeError } from "../probe-error.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import type { ElasticPenalty } from "./elastic-fit.ts";
import { shrunk } from "./elastic-fit.ts";

const mostSweeps = 1000;
/** Sweeps in which no weight came to or left zero, or changed sign, after which the rest is solved at once. */
const calmSweeps = 3;

/** A step of the weights and bias, and what it does to the rows' scores (0 in rows that are not trained on). */
export interface CoordinateStep {
  readonly step: Float64Array;
  readonly stepScores: Float64Array;
}

/**
 * The step that minimises the quadratic model of the loss plus the penalty itself, by coordinate descent over the weights of `working` and
 * the bias (the inner loop of glmnet: Friedman, Hastie, Tibshirani 2010). `gradient` is of the smooth part, `curvature` that of the
 * rows' loss. It ends when a sweep gains less than `tolerance` of what the first one did.
 */
export function coordinateStep(
  matrix: ProbeMatrix,
  fit: ConvexFit,
  model: {
    penalty: ElasticPenalty;
    gradient: Float64Array;
    curvature: Float64Array;
    working: readonly number[];
    tolerance: number;
  },
): CoordinateStep {
  const { penalty, gradient, working } = model;
  const { C, ratio } = penalty;
  const rows = [...fit.included.keys()].filter((row) => fit.included[row]);
  const held = Float64Array.from(rows, (row) => C * model.curvature[row]!);
  const columns = working.map((j) => standardColumn(matrix, fit, rows, j));
  const bends = columns.map((column) => {
    let bend = 1 - ratio;
    for (let i = 0; i < column.length; i++) bend += held[i]! * column[i]! ** 2;
    return bend;
  });
  const biasBend = Math.max(
    held.reduce((sum, value) => sum + value, 0),
    1e-12,
  );
  const moved = new Float64Array(rows.length);
  const step = new Float64Array(fit.width + 1);
  /** Moves one weight to where the model is least; returns about twice what that gained. */
  const move = (at: number): number => {
    const j = working[at]!;
    const column = columns[at]!;
    const bend = bends[at]!;
    if (!(bend > 0)) return 0;
    let slope = gradient[j]! + (1 - ratio) * step[j]!;
    for (let i = 0; i < column.length; i++) slope += held[i]! * column[i]! * moved[i]!;
    const weight = fit.parameters[j]! + step[j]!;
    const change = shrunk(weight - slope / bend, ratio / bend) - weight;
    if (change === 0) return 0;
    step[j]! += change;
    for (let i = 0; i < column.length; i++) moved[i]! += change * column[i]!;
    return bend * change ** 2;
  };
  const moveBias = (): number => {
    let slope = gradient[fit.width]!;
    for (let i = 0; i < moved.length; i++) slope += held[i]! * moved[i]!;
    const change = -slope / biasBend;
    step[fit.width]! += change;
    for (let i = 0; i < moved.length; i++) moved[i]! += change;
    return biasBend * change ** 2;
  };
  const all = working.map((_, at) => at);
  const signs = () => working.map((j) => Math.sign(fit.parameters[j]! + step[j]!));
  /** All weights that are not zero, and the bias, to where the model is least for them; no further than the first that meets zero. */
  const solve = () => {
    const support = all.filter((at) => fit.parameters[working[at]!]! + step[working[at]!]! !== 0);
    const change = supportStep({
      held,
      moved,
      ridge: 1 - ratio,
      columns: [...support.map((at) => columns[at]!), new Float64Array(rows.length).fill(1)],
      slopes: [
        ...support.map((at) => {
          const j = working[at]!;
          return gradient[j]! + (1 - ratio) * step[j]! + ratio * Math.sign(fit.parameters[j]! + step[j]!);
        }),
        gradient[fit.width]!,
      ],
    });
    if (!change) return;
    const weightOf = (at: number) => fit.parameters[working[at]!]! + step[working[at]!]!;
    let length = 1;
    let meets = -1;
    support.forEach((at, i) => {
      const most = -weightOf(at) / change[i]!;
      if (most > 0 && most < length) [length, meets] = [most, at];
    });
    support.forEach((at, i) => {
      const j = working[at]!;
      const by = at === meets ? -weightOf(at) : length * change[i]!;
      step[j] = at === meets ? -fit.parameters[j]! : step[j]! + by;
      addScaled(moved, by, columns[at]!);
    });
    const by = length * change[support.length]!;
    step[fit.width]! += by;
    for (let i = 0; i < moved.length; i++) moved[i]! += by;
  };
  let first = 0;
  let sweepAll = true;
  let calm = 0;
  let before = signs();
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    // Weights that stay zero are looked at again once the others have settled.
    const order = sweepAll
      ? all
      : all.filter((at) => fit.parameters[working[at]!]! + step[working[at]!]! !== 0);
    let gained = moveBias();
    for (const at of order) gained += move(at);
    first = Math.max(first, gained);
    const settled = gained <= model.tolerance * first;
    if (settled && sweepAll) break;
    sweepAll = settled;
    const after = signs();
    calm = after.every((sign, at) => sign === before[at]) ? calm + 1 : 0;
    before = after;
    if (settled || calm < calmSweeps) continue;
    solve();
    calm = 0;
    before = signs();
  }
  const stepScores = new Float64Array(matrix.rows);
  rows.forEach((row, i) => (stepScores[row] = moved[i]!));
  return { step, stepScores };
}

/**
 * What moves the model's gradient of the support to zero: `columns` (the last is the bias's) with their `slopes` before the rows
 * `moved`. Nothing for a support too large, or whose columns are sums of each other.
 */
function supportStep(model: {
  held: Float64Array;
  moved: Float64Array;
  ridge: number;
  columns: readonly Float64Array[];
  slopes: readonly number[];
}): Float64Array | undefined {
  const { held, moved, ridge, columns, slopes } = model;
  const size = columns.length;
  const rows = held.length;
  if (size > largestDense) return undefined;
  const scaled = new Float64Array(size * rows);
  const right = Float64Array.from(slopes, (slope) => -slope);
  columns.forEach((column, at) => {
    for (let i = 0; i < rows; i++) {
      scaled[at * rows + i] = Math.sqrt(held[i]!) * column[i]!;
      right[at]! -= held[i]! * column[i]! * moved[i]!;
    }
  });
  const matrix = rowGram(scaled, size, rows);
  for (let at = 0; at < size - 1; at++) matrix[at * size + at]! += ridge;
  try {
    return cholesky(matrix, size).solve(right);
  } catch (error) {
    if (error instanceof ProbeError && error.code === "not_positive_definite") return undefined;
    throw error;
  }
}

function standardColumn(
  matrix: ProbeMatrix,
  fit: ConvexFit,
  rows: readonly number[],
  j: number,
): Float64Array {
  const { mean, inverse } = fit.moments;
  return Float64Array.from(rows, (row) => (matrix.values[row * matrix.width + j]! - mean[j]!) * inverse[j]!);
}

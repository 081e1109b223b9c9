import { addScaled, dot, squares } from "../../linalg/vectors.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { columnGradients, columnScores } from "./logistic-column.ts";
import type { LogisticColumn } from "./logistic-column.ts";
import { objective, residualsAt } from "./logistic-loss.ts";
import type { LogisticPreconditioner } from "./logistic-preconditioner.ts";
import { searchAlong } from "./logistic-search.ts";

const maxSteps = 500;
/** What is done by scores that were summed up step by step is looked at again with scores of its own, so many times at most. */
const maxChecks = 4;
/** A column is done when the next step promises less than `tolerance` of its objective, would move its weights by less than this share of their norm */
const moveTolerance = 2e-3;
/** (a move that float32 products of the rows' residuals can no longer tell from none will do, too) … */
const productNoise = 1e-6;
/** … and ½‖gradient‖², a sure bound of what is left to gain (the objective curves by at least 1 in every weight), is below this share. */
const boundTolerance = 1e-3;

/** Where a fit ended. */
export interface LogisticEnd {
  readonly converged: boolean;
  readonly iterations: number;
  readonly gradientNorm: number;
  readonly objective: number;
}

/**
 * Preconditioned descent with a memory of one step (L-BFGS with m = 1; Nocedal & Wright 2006, algorithm 7.4) on all columns at
 * once, from where they stand to the optimum at `C`: two products with the layer's rows a step, shared by the columns at work. A
 * column that is done leaves them.
 */
export async function descend(
  matrix: ProbeMatrix,
  columns: readonly LogisticColumn[],
  {
    C,
    preconditioner,
    tolerance,
  }: {
    C: number;
    preconditioner: LogisticPreconditioner;
    tolerance: number;
  },
): Promise<LogisticEnd[]> {
  const states = columns.map((column) => startDescent(column, matrix.rows));
  let open: readonly Descent[] = states;
  for (let check = 0; check < maxChecks && open.length > 0; check++) {
    await rescore(matrix, open, C);
    if (check === 0) preconditioner.prepare(C, open);
    open = await unfinished(open, { C, preconditioner, tolerance });
    let active = open;
    while (active.length > 0) {
      const scores = await columnScores(
        matrix,
        active.map(({ column }) => column),
        active.map(({ direction }) => ({ weights: direction.subarray(0, -1), bias: direction.at(-1)! })),
      );
      const moved = active.filter((state, k) => advance(state, scores[k]!, C));
      await readGradients(matrix, moved, C);
      // A little closer than asked for, so that the check need not send the column on.
      active = await unfinished(moved, { C, preconditioner, tolerance: tolerance / 2 });
    }
  }
  return states.map(({ column, converged, iterations, gradient }) => ({
    converged,
    iterations,
    gradientNorm: Math.sqrt(squares(gradient)),
    objective: objective(column, C),
  }));
}

/** Scores and gradients anew from the weights (sums of steps drift), and nothing remembered of the steps that led there. */
async function rescore(matrix: ProbeMatrix, states: readonly Descent[], C: number): Promise<void> {
  const columns = states.map(({ column }) => column);
  const scores = await columnScores(matrix, columns, columns);
  states.forEach((state, k) => {
    state.column.scores = scores[k]!;
    state.remembers = false;
    state.converged = false;
  });
  await readGradients(matrix, states, C);
}

/** Aims all, and gives those that are not done. */
async function unfinished(
  states: readonly Descent[],
  { C, preconditioner, tolerance }: { C: number; preconditioner: LogisticPreconditioner; tolerance: number },
): Promise<readonly Descent[]> {
  if (states.length === 0) return [];
  const aimed = await aim(states, preconditioner);
  return aimed.filter((state) => state.iterations < maxSteps && !isDone(state, C, tolerance));
}

/** A column's place in the descent; vectors hold the weights and, last, the bias. */
interface Descent {
  readonly column: LogisticColumn;
  readonly residuals: Float32Array;
  readonly gradient: Float64Array;
  readonly direction: Float64Array;
  /** The last step and the change of the gradient that it made, where there was one. */
  remembers: boolean;
  readonly step: Float64Array;
  readonly change: Float64Array;
  /** Sum of the training rows' curvatures. */
  curvature: number;
  objective: number;
  converged: boolean;
  iterations: number;
}

function startDescent(column: LogisticColumn, rows: number): Descent {
  const size = column.weights.length + 1;
  return {
    column,
    residuals: new Float32Array(rows),
    gradient: new Float64Array(size),
    direction: new Float64Array(size),
    remembers: false,
    step: new Float64Array(size),
    change: new Float64Array(size),
    curvature: 0,
    objective: Infinity,
    converged: false,
    iterations: 0,
  };
}

/** Reads each gradient anew, and what the last step changed in it. */
async function readGradients(matrix: ProbeMatrix, states: readonly Descent[], C: number): Promise<void> {
  if (states.length === 0) return;
  const residuals = states.map(({ column, residuals: values }) => residualsAt(column, values));
  const columns = states.map(({ column }) => column);
  const sums = await columnGradients(matrix, columns, residuals);
  states.forEach((state, k) => {
    const { gradient, change } = state;
    const { weights, hasBias } = state.column;
    const own = sums[k]!;
    const width = weights.length;
    for (let j = 0; j <= width; j++) {
      const value = j < width ? C * own[j]! + weights[j]! : hasBias ? C * residuals[k]!.total : 0;
      change[j] = value - gradient[j]!;
      gradient[j] = value;
    }
    state.curvature = residuals[k]!.curvature;
  });
}

/** Sets each direction: the gradient, corrected by the last step, through the preconditioner. */
async function aim(
  states: readonly Descent[],
  preconditioner: LogisticPreconditioner,
): Promise<readonly Descent[]> {
  const shares = states.map(({ gradient, step, change, direction, remembers }) => {
    direction.set(gradient);
    if (!remembers) return 0;
    const share = dot(step, gradient) / dot(step, change);
    addScaled(direction, -share, change);
    return share;
  });
  const directions = states.map(({ direction }) => direction);
  await preconditioner.apply(directions, states);
  states.forEach(({ step, change, direction, remembers }, k) => {
    if (remembers) addScaled(direction, shares[k]! - dot(change, direction) / dot(step, change), step);
    for (let j = 0; j < direction.length; j++) direction[j] = -direction[j]!;
  });
  return states;
}

function isDone(state: Descent, C: number, tolerance: number): boolean {
  const promised = -dot(state.gradient, state.direction) / 2;
  if (promised > tolerance * state.objective) return false;
  state.objective = objective(state.column, C);
  const move = squares(state.direction.subarray(0, -1));
  state.converged =
    promised <= tolerance * state.objective &&
    (move <= moveTolerance ** 2 * squares(state.column.weights) || move <= noiseOf(state.column, C) ** 2) &&
    squares(state.gradient) / 2 <= boundTolerance * state.objective;
  return state.converged;
}

/** How far the gradient's rounding moves weights whose objective curves by about 1 + C · rows / 10. */
function noiseOf({ rows }: LogisticColumn, C: number): number {
  const pull = C * rows.length;
  return (productNoise * pull) / (1 + pull / 10);
}

/** Moves the column along its direction; false when it cannot move. */
function advance(state: Descent, scores: Float64Array, C: number): boolean {
  const { column, direction, step } = state;
  const width = column.weights.length;
  const slope = dot(state.gradient, direction);
  const move = { weights: direction.subarray(0, width), bias: direction[width]!, scores };
  const t = slope < 0 ? searchAlong(column, { C, move, slope }) : 0;
  if (!(t > 0)) return false;
  for (let j = 0; j <= width; j++) step[j] = t * direction[j]!;
  addScaled(column.weights, 1, step);
  column.bias += step[width]!;
  addScaled(column.scores, t, scores);
  state.remembers = true;
  state.iterations++;
  return true;
}

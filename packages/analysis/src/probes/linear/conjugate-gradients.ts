import { addTo, dot } from "./vectors.ts";

const maxRounds = 500;
const maxRestarts = 6;
/** A solution is done when its error, in the norm of the system, is below this share of the solution's … */
const goals = { exact: 1e-10, float32: 1e-6 };
/** … and still counts when float32 products let it come no closer than this. */
const enough = 2e-5;

/** matrix · x = target, the matrix symmetric and positive (semi)definite. */
export interface LinearSystem {
  readonly target: Float64Array;
  /** An approximate inverse of the matrix: systems that share it are given together. */
  readonly precondition: Precondition;
}

export type Precondition = (residuals: readonly Float64Array[]) => Float64Array[];

export interface LinearSolution {
  readonly solution: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of target − matrix · solution. */
  readonly residualNorm: number;
}

interface Column extends LinearSystem {
  at: number;
  solution: Float64Array;
  residual: Float64Array;
  search: Float64Array;
  energy: number;
  goal: number;
  iterations: number;
  error: number;
  lastError: number;
}

/** The matrix of each system `at[i]` times `vectors[i]`. */
export type ApplySystems = (
  at: readonly number[],
  vectors: readonly Float64Array[],
) => Promise<Float64Array[]>;

/**
 * Solves all systems at once by preconditioned conjugate gradients; a system that is done leaves the products. Each restarts from its
 * true residual until that is small: float32 products (`exact` false) then cost few digits of the solution.
 */
export async function conjugateGradients(
  systems: readonly LinearSystem[],
  apply: ApplySystems,
  exact: boolean,
): Promise<LinearSolution[]> {
  const columns = systems.map(({ target, precondition }, at): Column => {
    const solution = new Float64Array(target.length);
    const start = { search: target, energy: 0, goal: 0, iterations: 0, error: 0, lastError: Infinity };
    return { at, target, precondition, solution, residual: target.slice(), ...start };
  });
  const goal = exact ? goals.exact : goals.float32;
  let open = columns.filter((column) => column.target.some((value) => value !== 0));
  for (let restart = 0; restart < maxRestarts && open.length > 0; restart++) {
    await descend(open, apply, exact ? 1e-20 : 1e-10);
    const images = await applyTo(open, apply, ({ solution }) => solution);
    open.forEach((column, i) => {
      column.residual = column.target.slice();
      addTo(column.residual, -1, images[i]!);
    });
    const steps = preconditioned(open);
    open.forEach((column, i) => (column.error = errorOf(column, steps[i]!)));
    // A restart that does not halve the error has met the rounding of the products.
    open = open.filter((column) => {
      const before = column.lastError;
      column.lastError = column.error;
      return column.error > goal && column.error < before / 2;
    });
  }
  return columns.map((column) => ({
    solution: column.solution,
    converged: column.error <= enough,
    iterations: column.iterations,
    residualNorm: Math.sqrt(dot(column.residual, column.residual)),
  }));
}

/** Error of the solution in the system's norm, about, over the solution's own; 0 of a system that asks for 0. */
function errorOf({ residual, target, solution }: Column, step: Float64Array): number {
  const size = dot(target, solution);
  const error = dot(residual, step);
  if (error === 0 && size === 0) return 0;
  return Math.sqrt(Math.max(0, error) / Math.max(size, Number.MIN_VALUE));
}

/** One run from where the columns stand, until their energy has fallen to the `share`. */
async function descend(columns: readonly Column[], apply: ApplySystems, share: number): Promise<void> {
  const starts = preconditioned(columns);
  for (const [i, column] of columns.entries()) {
    column.search = starts[i]!;
    column.energy = dot(column.residual, column.search);
    column.goal = column.energy * share;
  }
  let active = columns.filter(({ energy }) => energy > 0);
  for (let round = 0; round < maxRounds && active.length > 0; round++) {
    const images = await applyTo(active, apply, ({ search }) => search);
    active = active.filter((column, i) => {
      const curvature = dot(column.search, images[i]!);
      if (!(curvature > 0)) return false;
      const length = column.energy / curvature;
      addTo(column.solution, length, column.search);
      addTo(column.residual, -length, images[i]!);
      return true;
    });
    const steps = preconditioned(active);
    active = active.filter((column, i) => {
      const step = steps[i]!;
      const energy = dot(column.residual, step);
      addTo(step, energy / column.energy, column.search);
      column.search = step;
      column.energy = energy;
      column.iterations++;
      return energy > column.goal;
    });
  }
}

/** Each column's residual through its approximate inverse. */
function preconditioned(columns: readonly Column[]): Float64Array[] {
  const members = new Map<Precondition, number[]>();
  columns.forEach(({ precondition }, i) => {
    const own = members.get(precondition);
    if (own) own.push(i);
    else members.set(precondition, [i]);
  });
  const steps = new Array<Float64Array>(columns.length);
  for (const [precondition, own] of members) {
    precondition(own.map((i) => columns[i]!.residual)).forEach((step, k) => (steps[own[k]!] = step));
  }
  return steps;
}

function applyTo(
  columns: readonly Column[],
  apply: ApplySystems,
  vector: (column: Column) => Float64Array,
): Promise<Float64Array[]> {
  return apply(
    columns.map(({ at }) => at),
    columns.map(vector),
  );
}

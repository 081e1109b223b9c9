import type { LogisticPreconditioner } from "./logistic-preconditioner.ts";
import { dot, foldedGather, foldedScores } from "./logistic-state.ts";
import type { LogisticState } from "./logistic-state.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";

const maxSteps = 100;

/** A Newton step and what it does to the row scores. */
export interface NewtonStep {
  step: Float64Array;
  stepScores: Float64Array;
}

/**
 * Solves H · step = −gradient for every column by preconditioned conjugate gradients, until the residual has fallen to the
 * column's tolerance (in the preconditioner's norm). Two products with the layer's rows a round, shared by the columns at work.
 */
export async function logisticSteps(
  matrix: ProbeMatrix,
  states: readonly LogisticState[],
  problem: {
    C: number;
    gradients: readonly Float64Array[];
    curvatures: readonly Float64Array[];
    tolerances: readonly number[];
    preconditioner: LogisticPreconditioner;
  },
): Promise<NewtonStep[]> {
  const { C, gradients, curvatures, tolerances } = problem;
  const precondition = problem.preconditioner.at(C, curvatures);
  const columns = states.map((state, k) => {
    const residual = gradients[k]!.map((g) => -g);
    const preconditioned = precondition(residual, k);
    return {
      k,
      state,
      step: new Float64Array(residual.length),
      stepScores: new Float64Array(matrix.rows),
      residual,
      search: preconditioned,
      energy: dot(residual, preconditioned),
      goal: dot(residual, preconditioned) * tolerances[k]! ** 2,
    };
  });
  let active = columns.filter((column) => column.energy > 0);
  for (let round = 0; round < maxSteps && active.length > 0; round++) {
    const group = active.map((column) => column.state);
    const searches = active.map((column) => column.search);
    const scores = await foldedScores(matrix, group, searches);
    const weighted = active.map(({ k }, at) => times(scores[at]!, curvatures[k]!));
    const products = await foldedGather(matrix, group, weighted, C, searches);
    active = active.filter((column, at) => {
      const product = products[at]!;
      const length = column.energy / dot(column.search, product);
      add(column.step, length, column.search);
      add(column.stepScores, length, scores[at]!);
      add(column.residual, -length, product);
      const preconditioned = precondition(column.residual, column.k);
      const energy = dot(column.residual, preconditioned);
      add(preconditioned, energy / column.energy, column.search);
      column.search = preconditioned;
      column.energy = energy;
      return energy > column.goal;
    });
  }
  return columns;
}

function add(target: Float64Array, scale: number, values: Float64Array): void {
  for (let j = 0; j < target.length; j++) target[j]! += scale * values[j]!;
}

function times(a: Float64Array, b: Float64Array): Float64Array {
  const product = new Float64Array(a.length);
  for (let row = 0; row < product.length; row++) product[row] = a[row]! * b[row]!;
  return product;
}

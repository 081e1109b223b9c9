import type { ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { foldScaler, startColumns } from "./logistic-column.ts";
import type { LogisticColumn, LogisticPoint } from "./logistic-column.ts";
import { descend, type LogisticEnd } from "./logistic-descent.ts";
import { logisticPreconditioner } from "./logistic-preconditioner.ts";
import { extrapolate, pointOf } from "./logistic-start.ts";

/** A fit at a weak penalty starts from rough fits at stronger ones, each of this share of the next. */
const rampShare = 0.01;
const rampTolerance = 1e-2;

/** Moves along the path that the next start is made of. */
const remembered = 2;

/** From the strongest penalty to the weakest: each C starts from where the ones before it ended. One list of fits for each C. */
export async function fitPath(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  { path, hasBias, tolerance }: { path: readonly number[]; hasBias: boolean; tolerance: number },
): Promise<ProbeFit[][]> {
  const states = await startColumns(matrix, columns, hasBias);
  const preconditioner = await logisticPreconditioner(matrix);
  const past: LogisticPoint[][] = states.map(() => []);
  const goTo = async (C: number, closeness: number) => {
    states.forEach((state, k) => {
      const here = pointOf(state);
      extrapolate(state, past[k]!, C);
      past[k] = [here, ...past[k]!].slice(0, remembered);
    });
    return await descend(matrix, states, { C, preconditioner, tolerance: closeness });
  };
  try {
    for (const C of rampTo(path[0]!, states[0]!.rows.length)) await goTo(C, rampTolerance);
    const fits: ProbeFit[][] = [];
    for (const C of path) {
      const ends = await goTo(C, tolerance);
      fits.push(states.map((state, k) => fitOf(matrix, state, { C, ...ends[k]! })));
    }
    return fits;
  } finally {
    preconditioner.dispose();
  }
}

function fitOf(matrix: ProbeMatrix, column: LogisticColumn, end: LogisticEnd & { C: number }): ProbeFit {
  const { weights, bias } = foldScaler(column.moments, column);
  return probeFit(matrix, { ...end, weights, centeredBias: bias, scores: column.scores.slice() });
}

/** Values of C below the first one asked for, from where the penalty outweighs the rows. */
function rampTo(C: number, rows: number): number[] {
  const ramp: number[] = [];
  for (let value = C * rampShare; value * rows > 1; value *= rampShare) ramp.unshift(value);
  return ramp;
}

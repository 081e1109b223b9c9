import { knownProbe } from "./known-probe.ts";
import { logisticNewton } from "./logistic-newton.ts";
import { logisticPreconditioner } from "./logistic-preconditioner.ts";
import { startLogistic } from "./logistic-state.ts";
import type { Probe, ProbeColumn, ProbeFit } from "./probe.ts";
import { ProbeError } from "./probe-error.ts";
import { probeFit } from "./probe-fit.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";

/**
 * Logistic regression with an L2 penalty, in scikit-learn's terms: minimises C · Σ log(1 + exp(−y·score)) + ½‖w‖² over
 * features standardised on the training rows; the intercept is not penalised. Every C must be finite: without a penalty,
 * classes that separate have no solution.
 */
export function logistic(options: { C?: number | readonly number[] } = {}): Probe {
  const given = typeof options.C === "number" ? [options.C] : (options.C ?? [1]);
  const path = [...new Set(given)].sort((a, b) => a - b);
  if (path.length === 0 || path.some((C) => !(C > 0 && Number.isFinite(C)))) {
    throw new ProbeError(
      "bad_option",
      `logistic was given C = ${given.join(", ")}: give finite numbers above 0 (a huge one stands for "no penalty").`,
      { C: given },
    );
  }
  const probe: Probe = {
    name: "logistic",
    target: "classes",
    C: path,
    bias: "fitted",
    formula:
      "min C · Σ log(1 + exp(−y·(x·w + b))) + ½‖w‖², features standardised on training rows, b not penalised; scaler folded into w and b",
    fit: (matrix, columns) => fitPath(matrix, columns, path),
    async fitAt(matrix, columns, C) {
      const [fits] = await fitPath(matrix, columns, [C ?? path[0]!]);
      return fits!;
    },
  };
  return knownProbe(probe, { name: "logistic", options: { C: path } });
}

/** From the strongest penalty to the weakest: each C starts where the one before it ended. */
async function fitPath(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  path: readonly number[],
): Promise<ProbeFit[][]> {
  const states = startLogistic(matrix, columns);
  const preconditioner = await logisticPreconditioner(matrix);
  const fits: ProbeFit[][] = [];
  for (const C of path) {
    const ends = await logisticNewton(matrix, states, C, preconditioner);
    fits.push(states.map((state, k) => probeFit(matrix, { C, ...state.snapshot(), ...ends[k]! })));
  }
  return fits;
}

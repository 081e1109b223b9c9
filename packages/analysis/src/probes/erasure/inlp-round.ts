import { logLoss } from "../convex/binary-loss.ts";
import { newtonDescent } from "../convex/newton-descent.ts";
import { startFits } from "../convex/start-fits.ts";
import { ProbeError } from "../probe-error.ts";
import { probeMatrix } from "../probe-matrix.ts";
import type { Nullspace } from "./nullspace.ts";

/** What one round's probes say: a direction and the scores of all rows for each class (of two classes, one). */
export interface RoundFit {
  readonly directions: Float64Array[];
  readonly scores: readonly Float64Array[];
}

/** Logistic probes on what is left of the rows, one a class against the rest, in one fit. Throws ProbeError `not_converged`. */
export async function inlpRound(
  space: Nullspace,
  task: { targets: Float64Array; classes: number; included: Uint8Array; C: number },
): Promise<RoundFit> {
  const { targets, classes, included, C } = task;
  const matrix = probeMatrix(space.values(), space.width);
  try {
    const training = { included };
    const columns = classTargets(targets, classes).map((labels) => ({ training, labels }));
    const fits = startFits(matrix, columns, logLoss);
    const ends = await newtonDescent(matrix, fits, C);
    const open = ends.find(({ converged }) => !converged);
    if (open) {
      const { iterations, gradientNorm } = open;
      const message = `A probe of INLP at C = ${C} did not converge: gradient norm ${gradientNorm.toExponential(2)} after ${iterations} steps. Lower C.`;
      throw new ProbeError("not_converged", message, { C, iterations, gradientNorm });
    }
    return {
      directions: fits.map((fit) => fit.folded()[0]!.weights),
      scores: fits.map((fit) => fit.scores[0]!),
    };
  } finally {
    matrix.dispose();
  }
}

/** 1 for the rows of the class: of two classes the second alone, else each against the rest. */
export function classTargets(targets: Float64Array, classes: number): Uint8Array[] {
  const of = (k: number) => Uint8Array.from(targets, (target) => (target === k ? 1 : 0));
  return classes === 2 ? [of(1)] : Array.from({ length: classes }, (_, k) => of(k));
}

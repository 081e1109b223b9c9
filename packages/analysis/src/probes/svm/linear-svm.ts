import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { squaredHinge } from "../convex/binary-loss.ts";
import { newtonDescent } from "../convex/newton-descent.ts";
import { startFits } from "../convex/start-fits.ts";
import { between, strengthPath, strengthSchema } from "../convex/strength-path.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";

const optionsSchema = z.strictObject({ C: strengthSchema.optional() });

/**
 * Linear support vector machine: minimises C · Σ max(0, 1 − y·score)² + ½‖w‖² over features standardised on the training rows.
 * The intercept is not penalised (scikit-learn's LinearSVC penalises it). Throws InvalidRequestError for C that is not finite
 * and above 0.
 */
export function linearSvm(options: { C?: number | readonly number[] } = {}): Probe {
  const path = strengthPath(checkOptions(optionsSchema, options, "linearSvm options").C, "linearSvm options");
  const probe: Probe = {
    name: "linear-svm",
    target: "classes",
    C: path,
    bias: "fitted",
    formula:
      "min C · Σ max(0, 1 − y·(x·w + b))² + ½‖w‖², features standardised on training rows, b not penalised; scaler folded into w and b",
    fit: (matrix, columns) => fitPath(matrix, columns, path),
    async fitAt(matrix, columns, C) {
      const [fits] = await fitPath(matrix, columns, [C ?? path[0]!]);
      return fits!;
    },
  };
  return knownProbe(probe, { name: "linear-svm", options: { C: path } });
}

/** From the strongest penalty to the weakest: each C starts where the one before it ended. */
async function fitPath(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  path: readonly number[],
): Promise<ProbeFit[][]> {
  const fits = startFits(matrix, columns, squaredHinge);
  const found: ProbeFit[][] = [];
  let before = 1;
  for (const C of path) {
    for (const way of between(before, C)) await newtonDescent(matrix, fits, way);
    before = C;
    const ends = await newtonDescent(matrix, fits, C);
    found.push(
      fits.map((fit, k) => probeFit(matrix, { C, ...fit.folded()[0]!, scores: fit.scores[0]!, ...ends[k]! })),
    );
  }
  return found;
}

import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { logLoss } from "../convex/binary-loss.ts";
import { startFits } from "../convex/start-fits.ts";
import { between, strengthPath, strengthSchema } from "../convex/strength-path.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { elasticDescent, type ElasticLane } from "./elastic-descent.ts";
import type { ElasticPenalty } from "./elastic-fit.ts";

const optionsSchema = z.strictObject({
  C: strengthSchema.optional(),
  l1Ratio: z.number().positive().max(1).default(0.5),
});

/**
 * Logistic regression with an elastic-net penalty, in scikit-learn's terms: minimises C · Σ log(1 + exp(−y·score)) + l1Ratio · Σ|w| +
 * (1 − l1Ratio)/2 · Σw² over features standardised on the training rows; the intercept is not penalised. Weights that the L1 part
 * puts to zero are exactly 0. `l1Ratio` lies above 0 (`logistic` is the probe without it) and at most at 1. Throws
 * InvalidRequestError.
 */
export function elasticNet(options: { C?: number | readonly number[]; l1Ratio?: number } = {}): Probe {
  const { C, l1Ratio } = checkOptions(optionsSchema, options, "elasticNet options");
  const path = strengthPath(C, "elasticNet options");
  const probe: Probe = {
    name: "elastic-net",
    target: "classes",
    C: path,
    bias: "fitted",
    formula:
      `min C · Σ log(1 + exp(−y·(x·w + b))) + ${l1Ratio} · Σ|w| + ${1 - l1Ratio}/2 · Σw², features standardised on training rows, ` +
      "b not penalised; scaler folded into w and b",
    fit: (matrix, columns) => fitPath(matrix, columns, path, l1Ratio),
    async fitAt(matrix, columns, C) {
      const [fits] = await fitPath(matrix, columns, [C ?? path[0]!], l1Ratio);
      return fits!;
    },
  };
  return knownProbe(probe, { name: "elastic-net", options: { C: path, l1Ratio } });
}

/** From the strongest penalty to the weakest: each C starts where the one before it ended. */
async function fitPath(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  path: readonly number[],
  ratio: number,
): Promise<ProbeFit[][]> {
  const lanes = startFits(matrix, columns, logLoss).map((fit, k): ElasticLane => ({
    fit,
    column: columns[k]!,
  }));
  const found: ProbeFit[][] = [];
  let before = 1e-2;
  for (const C of path) {
    for (const way of between(before, C)) await elasticDescent(matrix, lanes, { C: way, ratio });
    before = C;
    const penalty: ElasticPenalty = { C, ratio };
    const ends = await elasticDescent(matrix, lanes, penalty);
    found.push(
      lanes.map(({ fit }, k) =>
        probeFit(matrix, { C, ...fit.folded()[0]!, scores: fit.scores[0]!.slice(), ...ends[k]! }),
      ),
    );
  }
  return found;
}

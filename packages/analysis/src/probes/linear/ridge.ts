import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFit, refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { rowProducts } from "./row-products.ts";
import { classMeans, trainingSpreads } from "./row-spread.ts";
import { ridgeWeights } from "./ridge-weights.ts";

export interface RidgeOptions {
  /** Strength of the penalty, above 0: one or several values (default 1). scikit-learn's `alpha`. */
  lambda?: number | readonly number[];
  /** Penalise the weights of features standardised on the training rows (default false: of the features as they are). */
  standardise?: boolean;
}

const lambdaSchema = z.number().gt(0);
const optionsSchema = z.strictObject({
  lambda: z.union([lambdaSchema, z.array(lambdaSchema).min(1).readonly()]).default(1),
  standardise: z.boolean().default(false),
});

/**
 * Ridge regression of a number: minimises Σ (y − x·w − b)² + λ‖w‖², as scikit-learn's Ridge. One factor serves every λ near it. Throws InvalidRequestError.
 */
export function ridge(options: RidgeOptions = {}): Probe {
  const checked = checkOptions(optionsSchema, options, "ridge options");
  return ridgeProbe("ridge", checked, (labels) => labels);
}

/** The same of two classes as −1 and 1, as scikit-learn's RidgeClassifier: a score above 0 is the positive class. */
export function ridgeClassifier(options: RidgeOptions = {}): Probe {
  const checked = checkOptions(optionsSchema, options, "ridgeClassifier options");
  return ridgeProbe("ridge-classifier", checked, (labels) =>
    Float64Array.from(labels, (label) => (label ? 1 : -1)),
  );
}

function ridgeProbe(
  name: "ridge" | "ridge-classifier",
  { lambda, standardise }: { lambda: number | readonly number[]; standardise: boolean },
  targetsOf: (labels: ArrayLike<number>) => ArrayLike<number>,
): Probe {
  const path = [...new Set(typeof lambda === "number" ? [lambda] : lambda)].sort((a, b) => a - b);
  const features = standardise
    ? "features standardised on training rows (folded into w and b)"
    : "raw features";
  const y = name === "ridge" ? "y" : "y (−1 or 1)";
  const fit = async (matrix: ProbeMatrix, columns: readonly ProbeColumn[], lambdas: readonly number[]) => {
    if (name === "ridge-classifier") columns.forEach(refuseOneClass);
    return await fitRidge(matrix, columns, { lambdas, standardise, targetsOf });
  };
  const probe: Probe = {
    name,
    target: name === "ridge" ? "number" : "classes",
    C: path,
    bias: "fitted",
    formula: `min Σ (${y} − x·w − b)² + λ‖w‖², ${features}, b not penalised; C is λ`,
    fit: (matrix, columns) => fit(matrix, columns, path),
    async fitAt(matrix, columns, C) {
      const [fits] = await fit(matrix, columns, [C ?? path[0]!]);
      return fits!;
    },
  };
  return knownProbe(probe, { name, options: { lambda: path, standardise } });
}

async function fitRidge(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  options: {
    lambdas: readonly number[];
    standardise: boolean;
    targetsOf: (labels: ArrayLike<number>) => ArrayLike<number>;
  },
): Promise<ProbeFit[][]> {
  const { lambdas, standardise, targetsOf } = options;
  const products = rowProducts(matrix);
  const spreads = trainingSpreads(columns);
  const targets = columns.map((column) => targetsOf(column.labels));
  const solutions = await ridgeWeights(products, { spreads, targets, lambdas, standardise });
  return lambdas.map((lambda, l) =>
    columns.map((_, k) => {
      const { weights, scores: own, ...end } = solutions[l]![k]!;
      const [mean] = classMeans(spreads[k]!, targets[k]!);
      const [score] = classMeans(spreads[k]!, own);
      const centeredBias = mean! - score!;
      const moved = Float64Array.from(own, (each) => each + centeredBias);
      return probeFit(matrix, { C: lambda, weights, centeredBias, scores: moved, ...end });
    }),
  );
}

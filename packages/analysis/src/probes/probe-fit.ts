import { z } from "zod";
import { onBackend } from "../backend/use-backend.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkFitData } from "./check-fit-data.ts";
import { numbersSchema } from "./direction.ts";
import type { Probe, ProbeColumn, ProbeFit } from "./probe.ts";
import { ProbeError } from "./probe-error.ts";
import { probeMatrix } from "./probe-matrix.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";
import { refuseRows } from "./trained/trained-probe.ts";

/** A fit in terms of the centred matrix, put into raw space. */
export function probeFit(
  matrix: ProbeMatrix,
  fit: Omit<ProbeFit, "bias"> & { centeredBias: number },
): ProbeFit {
  const { centeredBias, ...rest } = fit;
  const bias = centeredBias - fit.weights.reduce((sum, weight, j) => sum + weight * matrix.center[j]!, 0);
  return { ...rest, bias };
}

/** Counts of both classes among a column's training rows; `one_class` when one is empty. */
export function refuseOneClass(column: ProbeColumn): { positives: number; negatives: number } {
  let positives = 0;
  let negatives = 0;
  column.training.included.forEach((included, row) => {
    if (!included) return;
    if (column.labels[row]) positives++;
    else negatives++;
  });
  if (positives === 0 || negatives === 0) {
    throw new ProbeError(
      "one_class",
      `A probe needs training rows of both classes: there are ${positives} positive and ${negatives} negative.`,
      { positives, negatives },
    );
  }
  return { positives, negatives };
}

/**
 * Fits one probe on rows of your own: `values` is `[rows, width]`; `train` marks the rows to fit on (all when left out).
 * One fit per value of C. Fails with `not_converged`, gradient norm and iterations when a fit does not converge.
 */
export async function fitProbe(
  probe: Probe,
  data: {
    values: Float32Array;
    width: number;
    labels: ArrayLike<number | boolean>;
    train?: ArrayLike<number | boolean>;
  },
): Promise<ProbeFit[]> {
  checkFitData(probe, data);
  const { labels, train } = data;
  const rows = data.values.length / data.width;
  if (labels.length !== rows || (train && train.length !== rows)) {
    throw new ProbeError(
      "bad_option",
      `${rows} rows need ${rows} labels and, if given, ${rows} train marks.`,
      { rows },
    );
  }
  return await onBackend(async () => {
    const matrix = probeMatrix(data.values, data.width);
    try {
      const included = Uint8Array.from({ length: rows }, (_, row) => (train ? Number(train[row]) : 1));
      const column = { training: { included }, labels: Uint8Array.from(labels, Number) };
      const fits = (await probe.fit(matrix, [column])).map(([fit]) => fit!);
      for (const fit of fits) refuseUnconverged(fit);
      return fits;
    } finally {
      matrix.dispose();
    }
  });
}

function refuseUnconverged(fit: ProbeFit): void {
  if (fit.converged) return;
  const { C, iterations, gradientNorm } = fit;
  throw new ProbeError(
    "not_converged",
    `The fit at C = ${C} did not converge: gradient norm ${gradientNorm.toExponential(2)} after ${iterations} steps. ` +
      `Lower C or look for features of extreme scale.`,
    { C, iterations, gradientNorm },
  );
}

const fitSchema = z.looseObject({ weights: numbersSchema, bias: z.number() });

/**
 * `row · weights + bias` for each row of `values` (`[rows, width]`), summed in float64. Throws ProbeError `wrong_width`, `not_finite` with
 * the row, InvalidRequestError.
 */
export function scoreRows(fit: Pick<ProbeFit, "weights" | "bias">, values: Float32Array): Float64Array {
  checkOptions(fitSchema, fit, "scoreRows fit", "fit");
  const width = fit.weights.length;
  refuseRows(values, width);
  return Float64Array.from({ length: values.length / width }, (_, row) => {
    let score = fit.bias;
    for (let j = 0; j < width; j++) score += values[row * width + j]! * fit.weights[j]!;
    return score;
  });
}

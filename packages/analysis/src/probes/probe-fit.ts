import { z } from "zod";
import { onBackend } from "../backend/use-backend.ts";
import { checkOptions } from "../options/check-options.ts";
import { shown } from "../options/shown.ts";
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

/** Counts (of rows with weights: the sums of these) of both classes among a column's training rows; `one_class` when one is empty. */
export function refuseOneClass(column: ProbeColumn): { positives: number; negatives: number } {
  let positives = 0;
  let negatives = 0;
  column.training.included.forEach((included, row) => {
    if (!included) return;
    const weight = column.weights ? column.weights[row]! : 1;
    if (column.labels[row]) positives += weight;
    else negatives += weight;
  });
  if (positives === 0 || negatives === 0) {
    throw new ProbeError(
      "one_class",
      `A probe needs training rows of both classes: there are ${positives} positive and ${negatives} negative${column.weights ? ", by the rows' weights" : ""}.`,
      { positives, negatives },
    );
  }
  return { positives, negatives };
}

/**
 * Fits one probe on rows of your own: `values` is `[rows, width]`; `labels` are finite numbers for a regression, else true or 1
 * (positive) and false or 0; `train` marks the rows to fit on (all when left out), whose labels alone are read. One fit per value of C.
 * Throws ProbeError (`bad_label`, `bad_option`, `one_class`, …). Fails with `not_converged`, gradient norm and iterations when a fit does not converge.
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
      const included = Uint8Array.from({ length: rows }, (_, row) =>
        train ? trainMark(train[row], row) : 1,
      );
      const readLabel = probe.target === "number" ? numberLabel : classLabel;
      const read = Float64Array.from(included, (inside, row) => (inside ? readLabel(labels[row], row) : 0));
      const column = { training: { included }, labels: read };
      const fits = (await probe.fit(matrix, [column])).map(([fit]) => fit!);
      for (const fit of fits) refuseUnconverged(fit);
      return fits;
    } finally {
      matrix.dispose();
    }
  });
}

function trainMark(given: unknown, row: number): number {
  return (
    mark(given) ??
    refuse("bad_option", `train[${row}] is ${shown(given)}: a mark is true or 1, false or 0.`, row)
  );
}

function classLabel(given: unknown, row: number): number {
  const message = `labels[${row}] is ${shown(given)}, and this probe reads two classes: true or 1 (positive), false or 0. Rows without a label are left out with train; trainProbe takes classes of other names.`;
  return mark(given) ?? refuse("bad_label", message, row);
}

function numberLabel(given: unknown, row: number): number {
  if (typeof given === "boolean") return Number(given);
  if (typeof given === "number" && Number.isFinite(given)) return given;
  return refuse(
    "bad_label",
    `labels[${row}] is ${shown(given)}, and this probe reads finite numbers (true is 1, false 0). Leave the row out with train.`,
    row,
  );
}

function mark(given: unknown): number | undefined {
  return given === true || given === 1 ? 1 : given === false || given === 0 ? 0 : undefined;
}

function refuse(code: "bad_option" | "bad_label", message: string, row: number): never {
  throw new ProbeError(code, message, { row });
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

import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { labelValueSchema } from "../results/label-value.ts";
import { checkDataset } from "./check-dataset.ts";
import { layerOf, refuseOtherLayer } from "./checked-reads.ts";
import { directionNorm, numbersSchema } from "./direction.ts";
import { ProbeError } from "./probe-error.ts";
import { rowChoiceSchema, type RowChoice } from "./row-choice.ts";
import type { Estimate } from "../results/estimate.ts";
import { aurocMetric } from "../statistics/metrics/auroc.ts";
import { estimateMetric } from "../statistics/metrics/estimate-metric.ts";
import { sweepRows, type LabelValue, type SweepDataset } from "./sweep-rows.ts";

export interface DirectionAurocOptions {
  label: string;
  positive?: LabelValue;
  /** Whole groups are redrawn for the interval. Default: `group`, else `example` (one row each). */
  group?: string;
  /** The rows to score, by row number: rows that took no part in finding the direction. */
  where?: RowChoice;
  /** Bootstrap draws (default 1000). */
  draws?: number;
  seed?: number;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  positive: labelValueSchema.optional(),
  group: z.string().min(1).optional(),
  where: rowChoiceSchema.optional(),
  draws: z.int().min(1).default(1000),
  seed: z.number().default(0),
});
const directionSchema = z.looseObject({ layer: z.int().min(-1), vector: numbersSchema });

/**
 * How well the projection on a direction (`vector`, `[hiddenSize]`, of its own layer) tells the label on the chosen rows:
 * AUROC with a cluster-bootstrap interval. The direction stays as it is; nothing is fitted here.
 * Throws ProbeError on a width or label that does not fit and on numbers that are not finite, InvalidRequestError.
 */
export async function directionAuroc(
  dataset: SweepDataset,
  direction: { layer: number; vector: ArrayLike<number> },
  options: DirectionAurocOptions,
): Promise<Estimate> {
  const { draws, seed, ...choice } = checkOptions(optionsSchema, options, "directionAuroc options");
  checkOptions(directionSchema, direction, "directionAuroc direction", "direction");
  checkDataset(dataset, "directionAuroc");
  const rows = await sweepRows(dataset, choice);
  const scores = await projectRows(dataset, direction, rows.kept);
  return estimateMetric(aurocMetric, { scores, labels: rows.labels, groups: rows.groupOf }, { draws, seed });
}

/**
 * `row · vector` of each of `rows` (row numbers), in raw space, summed in float64: one number a row (`projectLayer` puts rows on a plane). Throws ProbeError `wrong_width`, `not_finite` with the
 * row, `bad_option` for row numbers or a layer that the dataset has not, InvalidRequestError.
 */
export async function projectRows(
  dataset: Pick<SweepDataset, "layer" | "rows" | "hiddenSize"> & Partial<Pick<SweepDataset, "layers">>,
  direction: { layer: number; vector: ArrayLike<number> },
  rows: ArrayLike<number>,
): Promise<Float64Array> {
  const { layer, vector } = checkOptions(directionSchema, direction, "projectRows direction", "direction");
  checkOptions(numbersSchema, rows, "projectRows rows", "rows");
  checkDataset(dataset, "projectRows", ["rows", "hiddenSize", "layer"]);
  if (dataset.layers) refuseOtherLayer({ layers: dataset.layers }, layer);
  const width = dataset.hiddenSize;
  if (vector.length !== width) {
    const message = `The direction has ${vector.length} numbers and the dataset's rows ${width}.`;
    throw new ProbeError("wrong_width", message, { given: vector.length, width });
  }
  directionNorm(vector);
  const values = await layerOf(dataset, layer);
  return Float64Array.from(rows, (row) => {
    if (!Number.isInteger(row) || row < 0 || row >= dataset.rows) {
      const message = `Row ${row} is none of the dataset's ${dataset.rows} rows, which count from 0.`;
      throw new ProbeError("bad_option", message, { row });
    }
    let sum = 0;
    for (let j = 0; j < width; j++) sum += values[row * width + j]! * vector[j]!;
    if (Number.isFinite(sum)) return sum;
    throw new ProbeError("not_finite", `Row ${row} of layer ${layer} holds a value that is not finite.`, {
      row,
      layer,
    });
  });
}

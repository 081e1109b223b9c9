import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { labelValueSchema } from "../results/label-value.ts";
import { checkDataset } from "./check-dataset.ts";
import { layerOf, refuseOtherLayer } from "./checked-reads.ts";
import { directionNorm } from "./direction.ts";
import type { Direction } from "./direction.ts";
import { ProbeError } from "./probe-error.ts";
import { rowChoiceSchema, type RowChoice } from "./row-choice.ts";
import { labelledRows } from "./sweep-rows.ts";
import type { LabelValue, SweepDataset } from "./sweep-rows.ts";

/** The name and formula that the direction carries. */
const meanDifferenceMethod =
  "difference of means: mean(positive rows) − mean(negative rows), raw space, float64 sums";

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  layer: z.int().min(-1),
  positive: labelValueSchema.optional(),
  where: rowChoiceSchema.optional(),
  model: z.string().min(1).optional(),
});

/**
 * The direction from the mean of a layer's negative rows to the mean of its positive ones. To estimate an effect honestly,
 * leave the rows it is tried on out with `where`. Throws ProbeError (`one_class`, `bad_label`, `not_finite` with the row, …),
 * InvalidRequestError.
 */
export async function meanDifference(
  dataset: Pick<SweepDataset, "rows" | "layers" | "hiddenSize" | "column" | "layer">,
  options: {
    label: string;
    layer: number;
    positive?: LabelValue;
    where?: RowChoice;
    model?: string;
  },
): Promise<Direction> {
  const checked = checkOptions(optionsSchema, options, "meanDifference options");
  checkDataset(dataset, "meanDifference", ["rows", "hiddenSize", "layers", "column", "layer"]);
  const { label, layer, model } = checked;
  refuseOtherLayer(dataset, layer);
  const { kept, labels, positive, positives } = await labelledRows(dataset, checked);
  const negatives = labels.length - positives;
  const width = dataset.hiddenSize;
  const values = await layerOf(dataset, layer);
  const difference = new Float64Array(width);
  kept.forEach((row, i) => {
    const weight = labels[i] ? 1 / positives : -1 / negatives;
    for (let j = 0; j < width; j++) {
      const value = values[row * width + j]!;
      if (!Number.isFinite(value)) {
        const message = `Row ${row}, feature ${j} of layer ${layer} is ${value}: a mean needs finite numbers.`;
        throw new ProbeError("not_finite", message, { layer, row, feature: j });
      }
      difference[j]! += weight * value;
    }
  });
  const vector = Float32Array.from(difference);
  return {
    layer,
    vector,
    norm: directionNorm(vector),
    method: meanDifferenceMethod,
    n: { positive: positives, negative: negatives },
    source: { label, positive, ...(model === undefined ? {} : { model }) },
  };
}

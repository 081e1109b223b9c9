import { layerOf } from "./checked-reads.ts";
import { directionNorm } from "./direction.ts";
import type { Direction } from "./direction.ts";
import { ProbeError } from "./probe-error.ts";
import type { RowChoice } from "./row-choice.ts";
import { labelledRows } from "./sweep-rows.ts";
import type { LabelValue, SweepDataset } from "./sweep-rows.ts";

/** The name and formula that the direction carries. */
const meanDifferenceMethod =
  "difference of means: mean(positive rows) − mean(negative rows), raw space, float64 sums";

/**
 * The direction from the mean of a layer's negative rows to the mean of its positive ones. To estimate an effect honestly,
 * leave the rows it is tried on out with `where`.
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
  const { label, layer, model } = options;
  if (!dataset.layers.includes(layer)) {
    throw new ProbeError(
      "bad_option",
      `Layer ${layer} is not in the dataset, which holds ${dataset.layers.join(", ")}.`,
      { layer },
    );
  }
  const { kept, labels, positive, positives } = await labelledRows(dataset, options);
  const negatives = labels.length - positives;
  const width = dataset.hiddenSize;
  const values = await layerOf(dataset, layer);
  const difference = new Float64Array(width);
  kept.forEach((row, i) => {
    const weight = labels[i] ? 1 / positives : -1 / negatives;
    for (let j = 0; j < width; j++) difference[j]! += weight * values[row * width + j]!;
  });
  const vector = Float32Array.from(difference);
  const at = vector.findIndex((value) => !Number.isFinite(value));
  if (at >= 0)
    throw new ProbeError("not_finite", `Layer ${layer} holds values that are not finite (feature ${at}).`, {
      layer,
      feature: at,
    });
  return {
    layer,
    vector,
    norm: directionNorm(vector),
    method: meanDifferenceMethod,
    n: { positive: positives, negative: negatives },
    source: { label, positive, ...(model === undefined ? {} : { model }) },
  };
}

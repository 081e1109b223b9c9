import { layerOf } from "./checked-reads.ts";
import { ProbeError } from "./probe-error.ts";
import type { RowChoice } from "./row-choice.ts";
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

/**
 * How well the projection on a direction (`vector`, `[hiddenSize]`, of its own layer) tells the label on the chosen rows:
 * AUROC with a cluster-bootstrap interval. The direction stays as it is; nothing is fitted here.
 * Throws ProbeError on a width or label that does not fit.
 */
export async function directionAuroc(
  dataset: SweepDataset,
  direction: { layer: number; vector: ArrayLike<number> },
  options: DirectionAurocOptions,
): Promise<Estimate> {
  const rows = await sweepRows(dataset, options);
  const scores = await projectRows(dataset, direction, rows.kept);
  const { draws = 1000, seed = 0 } = options;
  return estimateMetric(aurocMetric, { scores, labels: rows.labels, groups: rows.groupOf }, { draws, seed });
}

/** `row · vector` of each of `rows` (row numbers), in raw space, summed in float64. */
export async function projectRows(
  dataset: Pick<SweepDataset, "layer" | "rows" | "hiddenSize">,
  { layer, vector }: { layer: number; vector: ArrayLike<number> },
  rows: ArrayLike<number>,
): Promise<Float64Array> {
  const width = dataset.hiddenSize;
  if (vector.length !== width) {
    throw new ProbeError(
      "wrong_width",
      `The direction has ${vector.length} numbers and the dataset's rows ${width}.`,
      {
        given: vector.length,
        width,
      },
    );
  }
  const values = await layerOf(dataset, layer);
  return Float64Array.from(rows, (row) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += values[row * width + j]! * vector[j]!;
    return sum;
  });
}

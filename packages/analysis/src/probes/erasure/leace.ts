import { z } from "zod";
import type { RowSource } from "../../dataset/row-source.ts";
import { widenNumbers } from "../../dataset/widen-numbers.ts";
import { checkOptions } from "../../options/check-options.ts";
import { columnOf, layerOf } from "../checked-reads.ts";
import { ProbeError } from "../probe-error.ts";
import { isKnown, type LabelValue, type SweepDataset } from "../sweep-rows.ts";
import type { Eraser } from "./eraser.ts";
import { leaceFitter, type LeaceSettings, leaceSettings } from "./leace-fitter.ts";

/** A dataset, a view, or arrays of your own; rows are read in blocks where it has them. */
export type ErasureDataset = Pick<SweepDataset, "rows" | "layers" | "hiddenSize" | "column" | "layer"> &
  Partial<Pick<RowSource, "layerBlocks" | "dtype">>;

export interface LeaceOptions extends LeaceSettings {
  /** Column of the concept: two or more classes (texts, whole numbers, true and false). Rows without a value are left out. */
  label: string;
  layer: number;
  /** The rows to fit on, by row number: leave out those that the erasure will be judged by. */
  where?: (row: number) => boolean;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  layer: z.int().min(-1),
  where: z
    .custom<(row: number) => boolean>((value) => typeof value === "function", "a function of a row number")
    .optional(),
  ...leaceSettings,
});

/**
 * The eraser of a label from one layer, in one pass over its blocks (see `leaceFitter`). Throws ProbeError (`no_rows`, `one_class`, `bad_label`,
 * `not_finite`, `bad_column`, `bad_option`) and InvalidRequestError.
 */
export async function leace(dataset: ErasureDataset, options: LeaceOptions): Promise<Eraser> {
  const { label, layer, where, ...settings } = checkOptions(optionsSchema, options, "leace options");
  if (!dataset.layers.includes(layer)) {
    const message = `Layer ${layer} is not in the dataset, which holds ${dataset.layers.join(", ")}.`;
    throw new ProbeError("bad_option", message, { layer });
  }
  const width = dataset.hiddenSize;
  const labels = await columnOf(dataset, label);
  const fitter = leaceFitter({ ...settings, width, layer, label });
  for await (const { first, values } of blocksOf(dataset, layer)) {
    const rows = Array.from({ length: values.length / width }, (_, row) => row).filter(
      (row) => isKnown(labels[first + row]) && (where?.(first + row) ?? true),
    );
    const picked = new Float32Array(rows.length * width);
    rows.forEach((row, at) => picked.set(values.subarray(row * width, (row + 1) * width), at * width));
    fitter.update(
      picked,
      rows.map((row) => labels[first + row] as LabelValue),
    );
  }
  return fitter.eraser();
}

async function* blocksOf(
  dataset: ErasureDataset,
  layer: number,
): AsyncIterable<{ first: number; values: Float32Array }> {
  if (!dataset.layerBlocks || !dataset.dtype) {
    yield { first: 0, values: await layerOf(dataset, layer) };
    return;
  }
  for await (const { first, numbers } of dataset.layerBlocks(layer, { rows: 1024 })) {
    const values = new Float32Array(numbers.length);
    widenNumbers(numbers, dataset.dtype, values);
    yield { first, values };
  }
}

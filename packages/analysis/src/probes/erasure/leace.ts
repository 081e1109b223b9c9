import { z } from "zod";
import type { RowSource } from "../../dataset/row-source.ts";
import { widenNumbers } from "../../dataset/widen-numbers.ts";
import { checkOptions } from "../../options/check-options.ts";
import { checkDataset } from "../check-dataset.ts";
import { columnOf, layerOf, refuseOtherLayer } from "../checked-reads.ts";
import { chosenRows, type RowChoice, rowChoiceSchema } from "../row-choice.ts";
import { isKnown, type LabelValue, type SweepDataset } from "../sweep-rows.ts";
import { refuseRows } from "../trained/trained-probe.ts";
import type { Eraser } from "./eraser.ts";
import { leaceFitter, type LeaceSettings, leaceSettings } from "./leace-fitter.ts";

/** A dataset, a view, or arrays of your own; rows are read in blocks where it has them. */
export type ErasureDataset = Pick<SweepDataset, "rows" | "layers" | "hiddenSize" | "column" | "layer"> &
  Partial<Pick<SweepDataset, "columns"> & Pick<RowSource, "layerBlocks" | "dtype">>;

export interface LeaceOptions extends LeaceSettings {
  /** Column of the concept: two or more classes (texts, whole numbers, true and false). Rows without a value are left out. */
  label: string;
  layer: number;
  /** The rows to fit on, by row number or by columns' values: leave out those that the erasure will be judged by. */
  where?: RowChoice;
}

const optionsSchema = z.strictObject({
  label: z.string().min(1),
  layer: z.int().min(-1),
  where: rowChoiceSchema.optional(),
  ...leaceSettings,
});

/**
 * The eraser of a label from one layer, in one pass over its blocks (see `leaceFitter`). Throws ProbeError (`no_rows`, `one_class`, `bad_label`,
 * `not_finite`, `bad_column`, `bad_option`) and InvalidRequestError.
 */
export async function leace(dataset: ErasureDataset, options: LeaceOptions): Promise<Eraser> {
  const { label, layer, where, ...settings } = checkOptions(optionsSchema, options, "leace options");
  checkDataset(dataset, "leace", ["rows", "hiddenSize", "layers", "column", "layer"]);
  refuseOtherLayer(dataset, layer);
  const width = dataset.hiddenSize;
  const labels = await columnOf(dataset, label);
  const chosen = new Uint8Array(dataset.rows);
  for (const row of await chosenRows(dataset, where)) chosen[row] = 1;
  const fitter = leaceFitter({ ...settings, width, layer, label });
  for await (const { first, values } of blocksOf(dataset, layer)) {
    const rows = Array.from({ length: values.length / width }, (_, row) => row).filter(
      (row) => chosen[first + row] === 1 && isKnown(labels[first + row]),
    );
    const picked = new Float32Array(rows.length * width);
    rows.forEach((row, at) => picked.set(values.subarray(row * width, (row + 1) * width), at * width));
    if (rows.length > 0) refuseRows(picked, width, (place) => first + rows[place]!);
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

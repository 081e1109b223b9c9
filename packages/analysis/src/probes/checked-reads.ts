import { shown } from "../options/shown.ts";
import { ProbeError } from "./probe-error.ts";
import type { SweepDataset } from "./sweep-rows.ts";

/** A layer of `[rows, hiddenSize]` numbers, no more and no fewer: others would be other rows. Throws ProbeError `wrong_width`. */
export async function layerOf(
  dataset: Pick<SweepDataset, "layer" | "rows" | "hiddenSize">,
  layer: number,
): Promise<Float32Array> {
  const values: unknown = await dataset.layer(layer);
  const { rows, hiddenSize } = dataset;
  if (!(values instanceof Float32Array)) {
    const message = `Layer ${layer} came as ${shown(values)}: layer() gives a Float32Array of [rows, hiddenSize] numbers.`;
    throw new ProbeError("wrong_width", message, { layer });
  }
  if (values.length === rows * hiddenSize) return values;
  throw new ProbeError(
    "wrong_width",
    `Layer ${layer} has ${values.length} numbers, and ${rows} rows of hiddenSize ${hiddenSize} are ${rows * hiddenSize}.`,
    { layer, numbers: values.length, rows, hiddenSize },
  );
}

/** A column with a value (or null) for each row. Throws ProbeError `bad_column`. */
export async function columnOf(
  dataset: Pick<SweepDataset, "column" | "rows">,
  name: string,
): Promise<ArrayLike<unknown>> {
  const values: ArrayLike<unknown> | null | undefined = await dataset.column(name);
  if (typeof values !== "object" || values === null) {
    const message = `The dataset has no column ${name}: column() gave ${shown(values)} in place of a list.`;
    throw new ProbeError("bad_column", message, { column: name });
  }
  if (values.length === dataset.rows) return values;
  throw new ProbeError(
    "bad_column",
    `Column ${name} has ${values.length} values, and the dataset ${dataset.rows} rows: give null where a row has none.`,
    { column: name, values: values.length, rows: dataset.rows },
  );
}

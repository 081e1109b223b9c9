import { InvalidRequestError } from "@residua/lens";
import { shown } from "../options/shown.ts";
import { ProbeError } from "./probe-error.ts";
import type { SweepDataset } from "./sweep-rows.ts";

/** A layer of `[rows, hiddenSize]` numbers, no more and no fewer: others would be other rows. Throws ProbeError `wrong_width`, InvalidRequestError. */
export async function layerOf(
  dataset: Pick<SweepDataset, "layer" | "rows" | "hiddenSize">,
  layer: number,
): Promise<Float32Array> {
  const values = layerNumbers(await dataset.layer(layer), layer);
  const { rows, hiddenSize } = dataset;
  if (values.length === rows * hiddenSize) return values;
  throw new ProbeError(
    "wrong_width",
    `Layer ${layer} has ${values.length} numbers, and ${rows} rows of hiddenSize ${hiddenSize} are ${rows * hiddenSize}.`,
    { layer, numbers: values.length, rows, hiddenSize },
  );
}

/** What `layer` of a dataset or capture gave, which is a Float32Array. Throws InvalidRequestError. */
export function layerNumbers(values: unknown, layer: number): Float32Array {
  if (values instanceof Float32Array) return values;
  const kind = Array.isArray(values) || ArrayBuffer.isView(values) ? values.constructor.name : shown(values);
  throw new InvalidRequestError(
    [{ field: `layer(${layer})`, given: kind, allowed: "a Float32Array [rows, hiddenSize]" }],
    "dataset",
  );
}

/** Throws ProbeError `bad_option` for a layer that the dataset does not name: of a dataset of one's own it could be any numbers. */
export function refuseOtherLayer({ layers }: Pick<SweepDataset, "layers">, layer: number): void {
  if (layers.includes(layer)) return;
  const message = `Layer ${layer} is not in the dataset, which holds ${layers.join(", ")}.`;
  throw new ProbeError("bad_option", message, { layer });
}

/** A column with a value (or null) for each row. Throws ProbeError `bad_column`. */
export async function columnOf(
  dataset: Pick<SweepDataset, "column" | "rows"> & Partial<Pick<SweepDataset, "columns">>,
  name: string,
): Promise<ArrayLike<unknown>> {
  const values: unknown = await dataset.column(name);
  if (!isList(values)) {
    const has = dataset.columns ? `: it has ${dataset.columns.join(", ")}` : "";
    throw new ProbeError("bad_column", `The dataset has no list of values for a column ${name}${has}.`, {
      column: name,
    });
  }
  if (values.length === dataset.rows) return values;
  throw new ProbeError(
    "bad_column",
    `Column ${name} has ${values.length} values, and the dataset ${dataset.rows} rows: give null where a row has none.`,
    { column: name, values: values.length, rows: dataset.rows },
  );
}

function isList(values: unknown): values is ArrayLike<unknown> {
  return (
    typeof values === "object" &&
    values !== null &&
    typeof (values as { length?: unknown }).length === "number"
  );
}

import { DatasetError } from "./dataset-error.ts";

/** The error of a column that is not there, with those that are. */
export function missingColumn(path: string, name: string, fields: readonly { name: string }[]): DatasetError {
  return new DatasetError("no_such_column", {
    path,
    found: `column ${JSON.stringify(name)} asked for`,
    expected: `one of ${fields.map((field) => field.name).join(", ")}`,
    advice: "Choose one of them; layers are read with layer(L).",
  });
}

/** The error of a layer that is not there, with those that are. */
export function missingLayer(path: string, layer: number, layers: readonly number[]): DatasetError {
  return new DatasetError("no_such_layer", {
    path,
    found: `layer ${layer} asked for`,
    expected: `one of the layers collected: ${layers.join(", ")}`,
    advice: "Choose one of them, or collect again with more layers into another folder.",
  });
}

import { storedFloats } from "./arrays/stored-floats.ts";
import type { StoredArray } from "./arrays/stored-array.ts";
import { FormatError } from "./format-error.ts";

/** Rows of one layer (the output of decoder block `layer`), one for each example or position: `[count, width]`. */
export interface ImportedRows {
  readonly layer: number;
  readonly count: number;
  readonly width: number;
  readonly rows: Float32Array;
}

/** An array of [count, width] as rows. Errors `format_invalid`, and those of `storedFloats`. */
export function importedRows(layer: number, array: StoredArray, called: string): ImportedRows {
  const [count, width, ...rest] = array.shape;
  if (count === undefined || width === undefined || rest.length > 0) {
    throw new FormatError(
      "format_invalid",
      `${called} has the shape [${array.shape.join(", ")}]; expected [rows, hidden size]`,
      { shape: array.shape },
    );
  }
  return { layer, count, width, rows: storedFloats(array, called) };
}

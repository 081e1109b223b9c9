import type { RowSource } from "../../../src/dataset/row-source.ts";
import { pickedSource } from "../../../src/dataset/picked-source.ts";
import { pickNumbers } from "../../../src/dataset/views/pick-block.ts";
import { standardColumns, type ColumnField, type ColumnValue } from "../../../src/shards/column-field.ts";
import { makeNumbers, type RowDtype, type RowNumbers } from "../../../src/shards/row-dtype.ts";

export interface Table {
  dtype?: RowDtype;
  hiddenSize?: number;
  layers?: ReadonlyMap<number, RowNumbers>;
  /** By name; a name that is no standard column is a label. */
  columns: Readonly<Record<string, readonly ColumnValue[]>>;
}

/** Rows from plain columns, with numbers that are all different where none are given. */
export function tableSource({ dtype = "float32", hiddenSize = 3, layers, columns }: Table): RowSource {
  const rows = Object.values(columns)[0]!.length;
  const standard: Readonly<Record<string, ColumnField>> = standardColumns;
  const numbers =
    layers ??
    new Map([[0, Float32Array.from({ length: rows * hiddenSize }, (_, i) => Math.sin(i * 1.7 + 1))]]);
  const fields = Object.entries(columns).map(([name, values]): ColumnField => {
    const known = Object.hasOwn(standard, name) ? standard[name] : undefined;
    return known ?? { name, type: typeOf(values), nullable: true, role: "label" };
  });
  const shape = { rows, layers: [...numbers.keys()], hiddenSize, dtype, fields };
  return pickedSource("a table", shape, async function* (request) {
    const picked = request.rows ?? Uint32Array.from({ length: rows }, (_, i) => i);
    const most = request.most ?? 7;
    for (let from = 0; from < picked.length; from += most) {
      const part = picked.subarray(from, from + most);
      yield await Promise.resolve({
        rows: part.length,
        columns: new Map(
          request.columns.map((name) => [name, Array.from(part, (row) => columns[name]![row]!)]),
        ),
        layers: request.layers.map((layer) =>
          pickNumbers(numbers.get(layer)!, part, makeNumbers(dtype, part.length * hiddenSize), hiddenSize),
        ),
      });
    }
  });
}

function typeOf(values: readonly ColumnValue[]): ColumnField["type"] {
  const some = values.find((value) => value !== null);
  return typeof some === "boolean" ? "bool" : typeof some === "number" ? "float64" : "utf8";
}

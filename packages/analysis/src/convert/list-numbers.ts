import { DataType, Precision, type Data, type Vector } from "apache-arrow";
import { isOffsetList } from "../files/arrow-check.ts";
import { BadRow } from "./bad-row.ts";
import type { FileNumbers } from "./narrow-numbers.ts";

/** What the items of a list column are: numbers, or 16 bits of a number. */
export type ListItem = "float64" | "float32" | "float16" | "uint16";

/** The items of a column of lists of numbers; undefined of any other column. */
export function listItem(type: DataType): ListItem | undefined {
  if (!isOffsetList(type) && !DataType.isFixedSizeList(type)) return undefined;
  const item = type.children[0]?.type as DataType | undefined;
  if (DataType.isFloat(item)) {
    return (["float16", "float32", "float64"] as const)[
      [Precision.HALF, Precision.SINGLE, Precision.DOUBLE].indexOf(item.precision)
    ];
  }
  return DataType.isInt(item) && item.bitWidth === 16 && !item.isSigned ? "uint16" : undefined;
}

/**
 * The lists of a column one after the other, `[rows, width]`: each must be there, whole, and `width` long. Throws BadRow.
 */
export function listNumbers(
  column: Vector,
  width: number,
  item: ListItem,
): Omit<FileNumbers, "dtype">["values"] {
  const Numbers = { float64: Float64Array, float32: Float32Array, float16: Uint16Array, uint16: Uint16Array }[
    item
  ];
  const whole = new Numbers(column.length * width);
  let row = 0;
  for (const data of column.data as readonly Data[]) {
    whole.set(itemsOf(data, width, row), row * width);
    row += data.length;
  }
  return whole;
}

/** The numbers of one chunk, as they lie. */
function itemsOf(data: Data, width: number, firstRow: number): Float64Array | Float32Array | Uint16Array {
  for (let i = 0; i < data.length && data.nullCount > 0; i++) {
    if (!data.getValid(i)) throw new BadRow(firstRow + i, "is null");
  }
  const { begin, end } = bounds(data, width, firstRow);
  const child = data.children[0] as Data;
  for (let i = begin; i < end && child.nullCount > 0; i++) {
    if (!child.getValid(i))
      throw new BadRow(firstRow + Math.floor((i - begin) / width), "has a null among its numbers");
  }
  // The values of a chunk begin at its own offset already.
  return (child.values as Float32Array).subarray(begin, end);
}

function bounds(data: Data, width: number, firstRow: number): { begin: number; end: number } {
  const { type } = data;
  if (DataType.isFixedSizeList(type)) {
    const { listSize } = type;
    if (listSize !== width) throw new BadRow(firstRow, `has ${listSize} numbers`);
    // A slice has sliced its numbers too.
    return { begin: 0, end: data.length * width };
  }
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  for (let i = 0; i < data.length; i++) {
    const length = Number(offsets[i + 1]) - Number(offsets[i]);
    if (length !== width) throw new BadRow(firstRow + i, `has ${length} numbers`);
  }
  const begin = Number(offsets[0] ?? 0);
  return { begin, end: begin + data.length * width };
}

/** Numbers in the first list of a column; undefined where it has none. */
export function firstWidth(column: Vector): number | undefined {
  const [data] = column.data;
  const type = data?.type as DataType | undefined;
  if (DataType.isFixedSizeList(type)) return type.listSize;
  const first = column.get(0) as { length: number } | null;
  return first?.length;
}

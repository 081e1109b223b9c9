import { Field, FixedSizeList, Float16, Float32, Uint16, type DataType } from "apache-arrow";

/** How the numbers of a layer's rows are stored: bfloat16 and float16 as their bits. */
export const rowDtypes = ["bfloat16", "float16", "float32"] as const;
export type RowDtype = (typeof rowDtypes)[number];

/** Rows in C order as they are stored: bits of the 16-bit types, values of float32. */
export type RowNumbers<B extends ArrayBufferLike = ArrayBufferLike> = Uint16Array<B> | Float32Array<B>;

/** Bytes of one number. */
export function dtypeBytes(dtype: RowDtype): 2 | 4 {
  return dtype === "float32" ? 4 : 2;
}

/** Room for this many numbers. */
export function makeNumbers(dtype: RowDtype, length: number): RowNumbers<ArrayBuffer> {
  return dtype === "float32" ? new Float32Array(length) : new Uint16Array(length);
}

/** Arrow has no bfloat16: its bits stand in a list of uint16, and the field's metadata says so. */
export function itemType(dtype: RowDtype): Uint16 | Float16 | Float32 {
  return { bfloat16: () => new Uint16(), float16: () => new Float16(), float32: () => new Float32() }[
    dtype
  ]();
}

export function rowListType(dtype: RowDtype, hiddenSize: number): FixedSizeList<DataType> {
  return new FixedSizeList(hiddenSize, new Field<DataType>("item", itemType(dtype), false));
}

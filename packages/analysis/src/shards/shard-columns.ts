import type { FileHandle } from "node:fs/promises";
import { LayoutError, readInto, readRange } from "../files/file-read.ts";
import type { ColumnField, ColumnType, ColumnValue } from "./column-field.ts";
import { makeNumbers, type RowDtype, type RowNumbers } from "./row-dtype.ts";
import type { ColumnLayout } from "./shard-batch.ts";

/** Values of one column (not a layer) of one batch. */
export async function readColumn(
  file: FileHandle,
  { name, type, nullable }: ColumnField,
  layout: ColumnLayout,
): Promise<ColumnValue[]> {
  if (layout.nullCount > 0 && !nullable) throw new LayoutError(`column "${name}" with nulls`);
  const [valid, bytes, offsets] = await Promise.all([
    layout.nullCount === 0 ? undefined : readRange(file, layout.validity),
    readRange(file, layout.values),
    offsetsOf(file, layout, type),
  ]);
  const at = valueReader(type, bytes, offsets);
  return Array.from({ length: layout.rows }, (_, i) => (valid && !bit(valid, i) ? null : at(i)));
}

async function offsetsOf(
  file: FileHandle,
  { offsets, rows, values }: ColumnLayout,
  type: ColumnType,
): Promise<Int32Array> {
  const itemBytes = type === "int32[]" ? 4 : 1;
  if (offsets === undefined || rows === 0) return new Int32Array(1);
  const read = new Int32Array((await readRange(file, { ...offsets, length: 4 * (rows + 1) })).buffer);
  const inOrder = read.every((offset, i) => offset >= (i === 0 ? 0 : (read[i - 1] as number)));
  if (!inOrder || (read[rows] as number) * itemBytes > values.length) {
    throw new LayoutError(`${type === "utf8" ? "text" : "list"} offsets out of order`);
  }
  return read;
}

function valueReader(
  type: ColumnType,
  bytes: Uint8Array<ArrayBuffer>,
  offsets: Int32Array,
): (i: number) => ColumnValue {
  switch (type) {
    case "utf8": {
      // `ignoreBOM` keeps a leading U+FEFF, which is a token like any other.
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      const plain = plainText(decoder, bytes);
      if (plain !== undefined) return (i) => plain.slice(offsets[i], offsets[i + 1]);
      return (i) => decodeText(decoder, bytes.subarray(offsets[i], offsets[i + 1]));
    }
    case "bool":
      return (i) => bit(bytes, i);
    case "int32": {
      const values = new Int32Array(bytes.buffer, 0, bytes.byteLength >> 2);
      return (i) => values[i] as number;
    }
    case "int32[]": {
      const values = new Int32Array(bytes.buffer, 0, bytes.byteLength >> 2);
      return (i) => Array.from(values.subarray(offsets[i], offsets[i + 1]));
    }
    case "float64": {
      const values = new Float64Array(bytes.buffer, 0, bytes.byteLength >> 3);
      return (i) => values[i] as number;
    }
  }
}

/** Beyond this, a text of all values together might be longer than a string can be. */
const longestText = 64 << 20;

/** All texts as one, where every character is a byte: then cutting it is much faster than decoding each. */
function plainText(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  if (bytes.length > longestText) return undefined;
  try {
    const text = decoder.decode(bytes);
    return text.length === bytes.length ? text : undefined;
  } catch {
    return undefined;
  }
}

function decodeText(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new LayoutError("text that is not UTF-8");
  }
}

function bit(bytes: Uint8Array, i: number): boolean {
  return (((bytes[i >> 3] as number) >> (i & 7)) & 1) === 1;
}

/** Rows `from` to `to` − 1 of one layer of one batch, `[to − from, hiddenSize]`. */
export async function readLayerRows(
  file: FileHandle,
  { values }: ColumnLayout,
  { hiddenSize, dtype }: { hiddenSize: number; dtype: RowDtype },
  { from, to }: { from: number; to: number },
): Promise<RowNumbers<ArrayBuffer>> {
  const numbers = makeNumbers(dtype, (to - from) * hiddenSize);
  const bytes = new Uint8Array(numbers.buffer);
  await readInto(file, bytes, values.offset + numbers.BYTES_PER_ELEMENT * from * hiddenSize);
  return numbers;
}

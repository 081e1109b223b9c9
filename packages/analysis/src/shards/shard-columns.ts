import type { FileHandle } from "node:fs/promises";
import { LayoutError, readInto, readRange } from "../files/file-read.ts";
import type { ColumnLayout } from "./shard-batch.ts";
import { columnSpecs, type ColumnKind, type ColumnSpec, type ShardColumns } from "./shard-schema.ts";

export type ColumnValue = string | number | boolean | null;

/** A column that is not a layer. */
export interface ScalarSpec extends ColumnSpec {
  kind: Exclude<ColumnKind, "layer">;
}

export function scalarSpecs(columns: ShardColumns): ScalarSpec[] {
  return columnSpecs(columns).filter((spec): spec is ScalarSpec => spec.kind !== "layer");
}

/** Values of one column (not a layer) of one batch. */
export async function readColumn(
  file: FileHandle,
  { name, kind, nullable }: ScalarSpec,
  layout: ColumnLayout,
): Promise<ColumnValue[]> {
  if (layout.nullCount > 0 && !nullable) throw new LayoutError(`column "${name}" with nulls`);
  const valid = layout.nullCount === 0 ? undefined : await readRange(file, layout.validity);
  const at = valueReader(kind, await readRange(file, layout.values), await offsetsOf(file, layout));
  return Array.from({ length: layout.rows }, (_, i) => (valid && !bit(valid, i) ? null : at(i)));
}

async function offsetsOf(file: FileHandle, { offsets, rows, values }: ColumnLayout): Promise<Int32Array> {
  if (offsets === undefined || rows === 0) return new Int32Array(1);
  const read = new Int32Array((await readRange(file, { ...offsets, length: 4 * (rows + 1) })).buffer);
  const inOrder = read.every((offset, i) => offset >= (i === 0 ? 0 : (read[i - 1] as number)));
  if (!inOrder || (read[rows] as number) > values.length) throw new LayoutError("text offsets out of order");
  return read;
}

function valueReader(
  kind: ScalarSpec["kind"],
  bytes: Uint8Array<ArrayBuffer>,
  offsets: Int32Array,
): (i: number) => ColumnValue {
  switch (kind) {
    case "utf8": {
      // `ignoreBOM` keeps a leading U+FEFF, which is a token like any other.
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return (i) => decodeText(decoder, bytes.subarray(offsets[i], offsets[i + 1]));
    }
    case "bool":
      return (i) => bit(bytes, i);
    case "int32": {
      const values = new Int32Array(bytes.buffer, 0, bytes.byteLength >> 2);
      return (i) => values[i] as number;
    }
    case "float64": {
      const values = new Float64Array(bytes.buffer, 0, bytes.byteLength >> 3);
      return (i) => values[i] as number;
    }
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

const blockNumbers = 2 << 20;

/** Hands on the bits of one layer of one batch in blocks; the block is reused, so whoever takes it must copy. */
export async function readLayerBlocks(
  file: FileHandle,
  { rows, values }: ColumnLayout,
  hiddenSize: number,
  take: (bits: Uint16Array, at: number) => void,
): Promise<void> {
  const total = rows * hiddenSize;
  const block = new Uint16Array(Math.min(blockNumbers, total));
  for (let at = 0; at < total; at += block.length) {
    const part = block.subarray(0, Math.min(block.length, total - at));
    await readInto(file, new Uint8Array(part.buffer, 0, 2 * part.length), values.offset + 2 * at);
    take(part, at);
  }
}

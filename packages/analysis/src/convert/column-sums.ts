import { createHash, type Hash } from "node:crypto";
import type { RowSource } from "../dataset/row-source.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";

/** SHA-256 of the values of one column, taken in part by part. */
export interface ColumnSum<V> {
  add(values: V): void;
  /** In hex; once, at the end. */
  digest(): string;
}

/** SHA-256 of each column of some rows. */
export interface RowSums {
  rows: number;
  /** In the order of the fields. */
  columnHashes: string[];
  /** In the order of the layers. */
  layerHashes: string[];
}

/** Of this many cells the bytes are put together before they are hashed. */
const cellsAtOnce = 4096;

/** Sum of a column that is not a layer: a null is a byte 0; another cell a byte 1 and its value. */
export function cellSum(type: ColumnField["type"]): ColumnSum<readonly ColumnValue[]> {
  const hash = createHash("sha256");
  const encode = cellBytes[type];
  return {
    add(values) {
      for (let from = 0; from < values.length; from += cellsAtOnce) {
        const cells = values.slice(from, from + cellsAtOnce);
        hash.update(
          Buffer.concat(cells.flatMap((cell) => (cell === null ? [absent] : [there, encode(cell)]))),
        );
      }
    },
    digest: () => hash.digest("hex"),
  };
}

/** Sum of a layer: of its numbers' bytes, in the rows' own type. */
export function layerSum(): ColumnSum<RowNumbers> {
  const hash = createHash("sha256");
  return { add: (numbers) => addBytes(hash, numbers), digest: () => hash.digest("hex") };
}

/** Sums of all columns and layers of the blocks that are added. */
export function rowSums({ fields, layers }: Pick<RowSource, "fields" | "layers">): {
  add(block: RowBlock): void;
  digest(): RowSums;
} {
  const columns = fields.map(({ name, type }) => ({ name, sum: cellSum(type) }));
  const numbers = layers.map(() => layerSum());
  let rows = 0;
  return {
    add(block) {
      rows += block.rows;
      for (const { name, sum } of columns) sum.add(block.columns.get(name) as ColumnValue[]);
      for (const [i, sum] of numbers.entries()) sum.add(block.layers[i] as RowNumbers);
    },
    digest: () => ({
      rows,
      columnHashes: columns.map(({ sum }) => sum.digest()),
      layerHashes: numbers.map((sum) => sum.digest()),
    }),
  };
}

/** No hash takes 2 GiB at once. */
function addBytes(hash: Hash, { buffer, byteOffset, byteLength }: RowNumbers): void {
  const most = 1 << 30;
  for (let at = 0; at < byteLength; at += most) {
    hash.update(new Uint8Array(buffer, byteOffset + at, Math.min(most, byteLength - at)));
  }
}

const absent = Uint8Array.of(0);
const there = Uint8Array.of(1);

const cellBytes: Readonly<Record<ColumnField["type"], (value: ColumnValue) => Uint8Array>> = {
  utf8: (value) => {
    const text = Buffer.from(value as string);
    return Buffer.concat([int32s([text.length]), text]);
  },
  bool: (value) => Uint8Array.of(value === true ? 1 : 0),
  float64: (value) => {
    const bytes = Buffer.alloc(8);
    // One NaN, as a column gives no other back.
    bytes.writeDoubleLE(Number.isNaN(value) ? Number.NaN : (value as number));
    return bytes;
  },
  int32: (value) => int32s([value as number]),
  "int32[]": (value) => int32s([(value as number[]).length, ...(value as number[])]),
};

function int32s(values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeInt32LE(value, 4 * i);
  return bytes;
}

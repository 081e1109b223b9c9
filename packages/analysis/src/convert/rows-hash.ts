import { createHash, type Hash } from "node:crypto";
import type { RowSource } from "../dataset/row-source.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import { layerColumn } from "../shards/shard-schema.ts";

/**
 * SHA-256 of what the rows are, however they are stored and cut into shards or row groups: of the lines `JSON [name, type, hash]`, one for
 * each column, then one for each layer, where `hash` is of the column's cells. docs/format.md has the recipe.
 */
export async function rowsHash(source: RowSource): Promise<string> {
  const { fields, layers, dtype } = source;
  const columns = fields.map((field) => ({ field, hash: createHash("sha256") }));
  const rows = layers.map((layer) => ({ layer, hash: createHash("sha256") }));
  for await (const block of source.blocks()) {
    for (const { field, hash } of columns)
      addCells(hash, field, block.columns.get(field.name) as ColumnValue[]);
    for (const [i, { hash }] of rows.entries()) {
      const numbers = block.layers[i] as Uint16Array;
      hash.update(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    }
  }
  const lines = [
    ...columns.map(({ field, hash }) => [field.name, field.type, hash.digest("hex")]),
    ...rows.map(({ layer, hash }) => [layerColumn(layer), dtype, hash.digest("hex")]),
  ];
  const whole = createHash("sha256");
  for (const line of lines) whole.update(`${JSON.stringify(line)}\n`);
  return whole.digest("hex");
}

/** A null is a byte 0; another cell a byte 1 and its value. */
function addCells(hash: Hash, { type }: ColumnField, values: readonly ColumnValue[]): void {
  const encode = cellBytes[type];
  for (const value of values) {
    if (value === null) hash.update(Uint8Array.of(0));
    else hash.update(Uint8Array.of(1)).update(encode(value));
  }
}

const cellBytes: Readonly<Record<ColumnField["type"], (value: ColumnValue) => Uint8Array>> = {
  utf8: (value) => {
    const text = Buffer.from(value as string);
    return Buffer.concat([int32s([text.length]), text]);
  },
  bool: (value) => Uint8Array.of(value === true ? 1 : 0),
  float64: (value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value as number);
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

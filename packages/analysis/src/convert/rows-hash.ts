import { createHash } from "node:crypto";
import { checkedSource } from "../dataset/checked-source.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { rowSums } from "./column-sums.ts";

/**
 * SHA-256 of what the rows are, however they are stored and cut into shards or row groups: of the lines `JSON [name, type, hash]`, one for
 * each column, then one for each layer, where `hash` is of the column's cells. docs/format.md has the recipe.
 */
export async function rowsHash(given: RowSource): Promise<string> {
  const source = checkedSource(given);
  const { fields, layers, dtype } = source;
  const sums = rowSums(source);
  for await (const block of source.blocks()) sums.add(block);
  const { columnHashes, layerHashes } = sums.digest();
  const lines = [
    ...fields.map(({ name, type }, i) => [name, type, columnHashes[i]]),
    ...layers.map((layer, i) => [layerColumn(layer), dtype, layerHashes[i]]),
  ];
  const whole = createHash("sha256");
  for (const line of lines) whole.update(`${JSON.stringify(line)}\n`);
  return whole.digest("hex");
}

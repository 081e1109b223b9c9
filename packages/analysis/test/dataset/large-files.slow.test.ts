import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { hashFile } from "../../src/files/file-hash.ts";
import { writeFileAtomic } from "../../src/files/file-atomic.ts";
import { openRegular, readInto } from "../../src/files/file-read.ts";
import type { ColumnValue } from "../../src/shards/column-field.ts";
import { shardName } from "../../src/shards/shard-schema.ts";
import { writeShard } from "../../src/shards/shard-write.ts";
import { contentHash, originHash } from "../../src/dataset/dataset-manifest.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";
import { forge } from "./dataset-helpers.ts";

const hiddenSize = 1 << 20;
const blockRows = 16;
const blocks = 33;

test("J7: a shard of more than 2 GiB is written and read", async () => {
  const folder = await freshFolder();
  // A manifest of the same form, whose shard is then exchanged for a large one.
  const small = memorySource({ rows: 3, dtype: "float32" });
  await writeDataset(folder, small, { how: "large", from: [] });
  const rows = blockRows * blocks;
  const columns = { fields: small.fields, layers: [2], hiddenSize, dtype: "float32" as const };
  const numbers = Float32Array.from({ length: blockRows * hiddenSize }, (_, i) => (i * 7919) % 10_007);
  const column = (name: string, first: number): ColumnValue[] =>
    Array.from({ length: blockRows }, (_, row) => {
      if (name === "example" || name === "group") return `${first + row}`;
      return name === "score" ? row : null;
    });
  const content = Array.from({ length: blocks }, (_, block) => ({
    rows: blockRows,
    columns: new Map(small.fields.map(({ name }) => [name, column(name, block * blockRows)])),
    layers: [numbers],
  }));
  const origin = { kind: "derived" as const, how: "large", from: [] };
  const identity = { plan: originHash(origin), checkpoint: "", shard: 0, firstExample: 0, examples: rows };
  const path = join(folder, shardName(0));
  const written = await writeShard(path, { columns, identity, blocks: content });
  expect(written.bytes).toBeGreaterThan(2 ** 31);
  expect((await stat(path)).size).toBe(written.bytes);
  expect(await hashFile(path)).toBe(written.sha256);
  const shards = [{ file: shardName(0), rows, examples: rows, ...written }];
  await forge(
    folder,
    (manifest) => {
      const hash = contentHash(origin, shards);
      Object.assign(manifest, { rows, examples: rows, shards, hiddenSize, layers: [2], contentHash: hash });
    },
    { reseal: false },
  );
  const dataset = await openDataset(folder);
  expect((await dataset.column("example")).at(-1)).toBe(`${rows - 1}`);
  let seen = 0;
  for await (const block of dataset.layerBlocks(2, { rows: blockRows })) {
    expect(block.first).toBe(seen);
    expect(Buffer.compare(new Uint8Array(block.numbers.buffer), new Uint8Array(numbers.buffer))).toBe(0);
    seen += block.rows;
  }
  expect(seen).toBe(rows);
}, 300_000);

test("J7: one chunk of more than 2 GiB is written and read whole", async () => {
  const path = join(await freshFolder(), "large");
  const chunk = new Uint8Array(2 ** 31 + 5);
  chunk.set([1, 2, 3], 2 ** 31 + 2);
  const { bytes } = await writeFileAtomic(path, [chunk]);
  expect(bytes).toBe(chunk.length);
  const { file } = await openRegular(path);
  try {
    chunk.fill(0);
    await readInto(file, chunk, 0);
    expect(Array.from(chunk.subarray(2 ** 31 + 1))).toEqual([0, 1, 2, 3]);
  } finally {
    await file.close();
  }
}, 300_000);

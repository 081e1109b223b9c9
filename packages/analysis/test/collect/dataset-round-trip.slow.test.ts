import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { collect } from "../../src/collect/collect.ts";
import { openDataset } from "../../src/dataset/dataset-open.ts";
import { withShard } from "../../src/dataset/dataset-shard.ts";
import { checkExamples, type Example } from "../../src/examples/example.ts";
import { readLayerRows } from "../../src/shards/shard-columns.ts";
import { datasetFields, type ColumnValue } from "../../src/shards/column-field.ts";
import type { RowNumbers } from "../../src/shards/row-dtype.ts";
import { batchBytes, writeShard } from "../../src/shards/shard-write.ts";
import { freshFolder } from "./collect-helpers.ts";
import { bitsAt, MemoryLens, tokenIds } from "./memory-lens.ts";
import { selectedPositions } from "./selected-positions.ts";

/** Well-formed text, with what trips codecs: empty, U+0000, U+FEFF, pairs. */
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("", "\0", "\uFEFFx", "𝄞", "e\u0301"));
const prompt = fc.oneof(text, fc.array(fc.nat(900), { minLength: 1, maxLength: 9 }));
const labels = fc.record({
  "a label": fc.boolean(),
  n: fc.double({ noNaN: true, noDefaultInfinity: true }),
  ñ: text,
});
const example: fc.Arbitrary<Example> = fc.record(
  { prompt, labels, group: fc.constantFrom("g", "h"), split: fc.constantFrom("train", "test") },
  { requiredKeys: ["prompt", "labels"] },
);
const selection: fc.Arbitrary<"last" | "first" | "all" | { last: number }> = fc.oneof(
  fc.constantFrom("last" as const, "first" as const, "all" as const),
  fc.record({ last: fc.integer({ min: 1, max: 5 }) }),
);

const unlabelled = { fields: datasetFields([]), dtype: "bfloat16" } as const;

/** Rows of one example of which nothing else is known. */
function emptyColumns(rows: number): Map<string, ColumnValue[]> {
  return new Map(
    unlabelled.fields.map(({ name, nullable }) => [
      name,
      Array<ColumnValue>(rows).fill(nullable ? null : "x"),
    ]),
  );
}

describe("what was captured is what is read", () => {
  test("any examples, selection, layers, widths and shard sizes", async () => {
    const run = {
      examples: fc.array(example, { minLength: 1, maxLength: 12 }),
      select: selection,
      layers: fc.oneof(fc.constant("all" as const), fc.uniqueArray(fc.nat(4), { minLength: 1 })),
      hiddenSize: fc.integer({ min: 1, max: 9 }),
      shardRows: fc.integer({ min: 1, max: 20 }),
      max_tokens: fc.integer({ min: 1, max: 3 }),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(run), async ({ examples, hiddenSize, ...options }) => {
        const folder = await freshFolder();
        const lens = new MemoryLens({ hiddenSize, layers: 5, delay: () => Math.random() * 2 });
        await collect(lens, examples, { ...options, to: folder });
        const dataset = await openDataset(folder);

        const expected = checkExamples(examples).examples.flatMap((example) => {
          const capture = lens.compute({ ...options, prompt: example.prompt ?? [] });
          return selectedPositions(options.select, capture.positions).map((position) => ({
            example,
            capture,
            position,
          }));
        });
        const rows = await dataset.readRows();
        expect(rows).toEqual(
          expected.map(({ example, capture, position }, row) => ({
            row,
            example: example.id,
            group: example.group,
            split: example.split,
            labels: example.labels,
            extra: {},
            position,
            tokenId: capture.tokens[position]?.id,
            token: capture.tokens[position]?.text,
            role: capture.tokens[position]?.role,
          })),
        );
        expect(dataset.rows).toBe(rows.length);
        expect(dataset.layers).toEqual(
          options.layers === "all" ? [0, 1, 2, 3, 4] : options.layers.toSorted(),
        );
        for (const layer of dataset.layers) {
          const bits = expected.flatMap(({ capture, position }) =>
            Array.from(capture.rowBits({ layer, position })),
          );
          expect(Array.from(await dataset.layerBits(layer))).toEqual(bits);
          const words = new Uint32Array((await dataset.layer(layer)).buffer);
          expect(Array.from(words)).toEqual(bits.map((pattern) => pattern * 65_536));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("every bfloat16 pattern survives, NaN payloads included", async () => {
    const folder = await freshFolder();
    const path = join(folder, "s.arrow");
    const columns = { ...unlabelled, layers: [0], hiddenSize: 256 };
    const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i);
    const block = { rows: 256, columns: emptyColumns(256), layers: [bits] };
    const identity = { plan: "p", checkpoint: "c", shard: 0, firstExample: 0, examples: 1 };
    await writeShard(path, { columns, identity, blocks: [block] });
    const read = await withShard(path, columns, (file, { batches }) =>
      readLayerRows(file, batches[0]!.get("layer_0")!, columns, { from: 0, to: 256 }),
    );
    expect(read).toEqual(bits);
  });

  test("a shard larger than a batch may be is written as several batches", async () => {
    const path = join(await freshFolder(), "s.arrow");
    const hiddenSize = 4 << 20;
    const columns = { ...unlabelled, layers: [3], hiddenSize };
    const rows = batchBytes / (2 * hiddenSize) + 1;
    const bits = new Uint16Array(rows * hiddenSize);
    for (let row = 0; row < rows; row++) bits[row * hiddenSize + row] = row + 1;
    const block = { rows, columns: emptyColumns(rows), layers: [bits] };
    const identity = { plan: "p", checkpoint: "c", shard: 0, firstExample: 0, examples: 1 };
    await writeShard(path, { columns, identity, blocks: [block] });
    await withShard(path, columns, async (file, layout) => {
      expect(layout.batches.map((batch) => batch.get("layer_3")?.rows)).toEqual([rows - 1, 1]);
      let at = 0;
      for (const batch of layout.batches) {
        const layer = batch.get("layer_3")!;
        const block = await readLayerRows(file, layer, columns, { from: 0, to: layer.rows });
        expect(Buffer.compare(bytesOf(block), bytesOf(bits.subarray(at, at + block.length)))).toBe(0);
        at += block.length;
      }
    });
  });
});

test("the rows of the lens depend on layer, position and every token before (so that a mix-up shows)", () => {
  const ids = tokenIds("abc");
  expect(bitsAt(ids, 0, 2, 4)).not.toEqual(bitsAt(ids, 1, 2, 4));
  expect(bitsAt(ids, 0, 2, 4)).not.toEqual(bitsAt(ids, 0, 1, 4));
  expect(bitsAt(tokenIds("xbc"), 0, 3, 4)).not.toEqual(bitsAt(ids, 0, 3, 4));
});

function bytesOf(bits: RowNumbers): Uint8Array {
  return new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);
}

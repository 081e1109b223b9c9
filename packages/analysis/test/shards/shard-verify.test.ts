import { Footer } from "apache-arrow/ipc/metadata/file";
import fc from "fast-check";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LayoutError } from "../../src/files/file-read.ts";
import { verifyMetadata } from "../../src/shards/shard-verify.ts";
import { shardNames, wholeDataset } from "../dataset/dataset-helpers.ts";

/** The footers of a file of ours and of one that pyarrow wrote. */
async function wholeFooters(): Promise<Uint8Array[]> {
  const folders = [await wholeDataset(), join(import.meta.dirname, "../../fixtures/dataset-pyarrow")];
  return Promise.all(
    folders.map(async (folder) => {
      const bytes = await readFile(join(folder, shardNames[0] as string));
      const length = bytes.readInt32LE(bytes.length - 10);
      return new Uint8Array(bytes.subarray(bytes.length - 10 - length, bytes.length - 10));
    }),
  );
}

test("whole footers pass, whoever wrote them", async () => {
  for (const footer of await wholeFooters()) expect(() => verifyMetadata(footer, "footer")).not.toThrow();
});

test("a footer that passes is decoded in bounded work, whatever four bytes of it were changed", async () => {
  const footers = await wholeFooters();
  const change = fc.record({
    which: fc.nat(1),
    at: fc.nat(),
    value: fc.oneof(fc.integer(), fc.constantFrom(-1, 2 ** 30)),
  });
  let refused = 0;
  let passed = 0;
  fc.assert(
    fc.property(change, ({ which, at, value }) => {
      const bytes = (footers[which] as Uint8Array).slice();
      new DataView(bytes.buffer).setInt32(at % (bytes.length - 4), value, true);
      try {
        verifyMetadata(bytes, "footer");
      } catch (error) {
        refused++;
        expect(error).toBeInstanceOf(LayoutError);
        return;
      }
      passed++;
      const started = performance.now();
      try {
        Footer.decode(bytes);
      } catch {
        // A damage of another kind: the caller wraps it.
      }
      expect(performance.now() - started).toBeLessThan(1000);
    }),
    { numRuns: 3000 },
  );
  expect(refused).toBeGreaterThan(100);
  expect(passed).toBeGreaterThan(100);
});

test("fields that share their children over and over are refused at once", () => {
  const bytes = new Uint8Array(8192);
  const view = new DataView(bytes.buffer);
  /** A table at `at` with one slot, which refers to `to`. */
  const table = (at: number, slot: number, to: number): void => {
    const vtable = at - 32;
    view.setUint16(vtable, 4 + 2 * (slot + 1), true);
    view.setUint16(vtable + 4 + 2 * slot, 4, true);
    view.setInt32(at, 32, true);
    view.setUint32(at + 4, to - at - 4, true);
  };
  /** A vector at `at` that names the table at `to` this many times. */
  const vector = (at: number, count: number, to: number): void => {
    view.setUint32(at, count, true);
    for (let i = 0; i < count; i++) view.setUint32(at + 4 + 4 * i, to - at - 4 - 4 * i, true);
  };
  view.setUint32(0, 100, true);
  table(100, 1, 200);
  table(200, 1, 300);
  vector(300, 1, 400);
  // 300 × 300 × 300 × 300 fields in 5 KB.
  for (let level = 0; level < 4; level++) {
    table(400 + level * 1400, 5, 500 + level * 1400);
    vector(500 + level * 1400, 300, 1800 + level * 1400);
  }
  const last = 400 + 4 * 1400;
  view.setUint16(last - 32, 4, true);
  view.setInt32(last, 32, true);
  const started = performance.now();
  expect(() => verifyMetadata(bytes, "footer")).toThrow(LayoutError);
  expect(performance.now() - started).toBeLessThan(1000);
});

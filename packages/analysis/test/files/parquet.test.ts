import {
  Field,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LayoutError } from "../../src/files/file-read.ts";
import { parquetChunks, type ParquetCompression } from "../../src/files/parquet/parquet-chunks.ts";
import { openParquet } from "../../src/files/parquet/parquet-file.ts";
import { withParquet } from "../../src/files/parquet/parquet-module.ts";
import { readThrift, writeThrift } from "../../src/files/parquet/thrift.ts";
import { freshFolder } from "../collect/collect-helpers.ts";

const ids = new List(new Field("item", new Int32(), false));
const schema = new Schema(
  [new Field("name", new Utf8(), false), new Field("ids", ids, true)],
  new Map([["what", "é"]]),
);

function batch(from: number, rows: number): RecordBatch {
  const at = Array.from({ length: rows }, (_, i) => from + i);
  const children = [
    vectorFromArray(
      at.map((i) => `n${i}`),
      new Utf8(),
    ).data[0]!,
    vectorFromArray(
      at.map((i) => (i % 3 === 2 ? null : Array.from({ length: i % 3 }, (_, k) => i + k))),
      ids,
    ).data[0]!,
  ];
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: rows, children }));
}

async function someFile(compression: ParquetCompression = "zstd"): Promise<{ path: string; bytes: Buffer }> {
  const parts: Uint8Array[] = [];
  const batches = [batch(0, 40), batch(40, 3), batch(43, 90)];
  for await (const part of parquetChunks(batches, { compression })) parts.push(part);
  const path = join(await freshFolder(), "some.parquet");
  const bytes = Buffer.concat(parts);
  await writeFile(path, bytes);
  return { path, bytes };
}

test("row groups of their own, of which only what is asked for is read", async () => {
  const { path } = await someFile();
  const file = await openParquet(path);
  expect(file.groups.map(({ rows }) => rows)).toEqual([40, 3, 90]);
  expect(file.columns).toEqual(["name", "ids"]);
  expect(file.metadata.get("what")).toBe("é");
  const table = await file.read(2, { columns: ["ids"], from: 10, to: 14 });
  expect(table.toArray().map((row) => (row as { toJSON(): unknown }).toJSON())).toMatchObject(
    [53, 54, 55, 56].map((i) => ({
      ids: i % 3 === 2 ? null : { length: i % 3 },
    })),
  );
  const names = await file.read(1, { columns: ["name"] });
  expect([...(names.getChild("name") ?? [])]).toEqual(["n40", "n41", "n42"]);
});

describe("damaged files", () => {
  test("a module that trapped is thrown away: a LayoutError, and the next file is read by a new one", async () => {
    const { path, bytes } = await someFile("none");
    const before = withParquet((parquet) => parquet);
    // The number of values in the first page's header: the Rust code panics.
    bytes[14] = 0;
    await writeFile(`${path}.damaged`, bytes);
    const file = await openParquet(`${path}.damaged`);
    const error = await file.read(0, { columns: ["name"] }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(LayoutError);
    expect((error as LayoutError).cause).toBeInstanceOf(WebAssembly.RuntimeError);
    expect(withParquet((parquet) => parquet)).not.toBe(before);
    const whole = await openParquet(path);
    expect((await whole.read(0, { columns: ["name"] })).numRows).toBe(40);
  });

  test("any byte changed, or the end cut off: rows or a LayoutError, and the next file is read as before", async () => {
    const { path, bytes } = await someFile();
    const damaged = `${path}.damaged`;
    const damage = fc.oneof(
      fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) }),
      fc.record({ at: fc.integer({ min: bytes.length - 700, max: bytes.length - 1 }), value: fc.nat(255) }),
      fc.record({ cut: fc.nat(bytes.length) }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (change) => {
        const copy = Buffer.from("cut" in change ? bytes.subarray(0, change.cut) : bytes);
        if ("at" in change) copy[change.at] = change.value;
        await writeFile(damaged, copy);
        try {
          const file = await openParquet(damaged);
          for (const [i] of file.groups.entries()) await file.read(i, { columns: file.columns });
        } catch (error) {
          if (!(error instanceof LayoutError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    const file = await openParquet(path);
    expect((await file.read(0, { columns: ["name"] })).numRows).toBe(40);
  });
});

test("a footer is written as it was read", async () => {
  const { bytes } = await someFile();
  const length = bytes.readUInt32LE(bytes.length - 8);
  const footer = bytes.subarray(bytes.length - 8 - length, -8);
  expect(Buffer.compare(writeThrift(readThrift(footer)), footer)).toBe(0);
});

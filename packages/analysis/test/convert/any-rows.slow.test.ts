import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { readParquet } from "../../src/convert/read-parquet.ts";
import { writeArrow } from "../../src/convert/write-arrow.ts";
import { writeParquet } from "../../src/convert/write-parquet.ts";
import { openParquet } from "../../src/files/parquet/parquet-file.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { anyRows, expectSameRows, sourceOf } from "./any-source.ts";

describe("any rows of any kind", () => {
  test("any rows come back bit for bit through Parquet", async () => {
    const folder = await freshFolder();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.constantFrom("float32" as const, "bits" as const),
        fc.constantFrom("zstd" as const, "snappy" as const, "lz4" as const, "none" as const),
        fc.integer({ min: 1, max: 50 }),
        async (rows, numbers, compression, rowGroupRows) => {
          const path = join(folder, `${n++}.parquet`);
          const source = sourceOf(rows);
          await writeParquet(source, path, { numbers, compression, rowGroupRows });
          expect((await openParquet(path)).groups.length).toBe(Math.ceil(source.rows / rowGroupRows));
          await expectSameRows(await readParquet(path), source);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("any rows come back bit for bit through an Arrow file", async () => {
    const folder = await freshFolder();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.constantFrom("float32" as const, "bits" as const),
        fc.integer({ min: 1, max: 50 }),
        async (rows, numbers, batchRows) => {
          const path = join(folder, `${n++}.arrow`);
          const source = sourceOf(rows);
          await writeArrow(source, path, { numbers, batchRows });
          await expectSameRows(await readArrow(path), source);
        },
      ),
      { numRuns: 40 },
    );
  });
});

import fc from "fast-check";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readArrow } from "../../src/convert/arrow-table.ts";
import { writeArrow } from "../../src/convert/write-arrow.ts";
import { DatasetError } from "../../src/dataset/dataset-error.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";

describe("rows through an Arrow file", () => {
  test("any byte changed, or the end cut off: rows or a DatasetError", async () => {
    const path = join(await freshFolder(), "a.arrow");
    await writeArrow(memorySource({ rows: 9, dtype: "float16" }), path, { batchRows: 4 });
    const whole = await readFile(path);
    const damage = fc.oneof(
      fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) }),
      fc.record({ cut: fc.nat(whole.length) }),
    );
    await fc.assert(
      fc.asyncProperty(damage, async (change) => {
        const bytes = Buffer.from("cut" in change ? whole.subarray(0, change.cut) : whole);
        if ("at" in change) bytes[change.at] = change.value;
        await writeFile(path, bytes);
        try {
          for await (const block of (await readArrow(path)).blocks()) expect(block.rows).toBeGreaterThan(0);
        } catch (error) {
          if (!(error instanceof DatasetError)) throw error;
        }
      }),
      { numRuns: 80 },
    );
  });
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { exportRows, rowFormats } from "../../src/convert/convert-rows.ts";
import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { abortedAfter } from "../aborted-after.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "./memory-source.ts";
import { openFiles } from "./open-files.ts";

test.runIf(process.platform === "linux")(
  "writers that are stopped in the middle leave no shard of their source open",
  async () => {
    const [folder, beside] = [await freshFolder(), await freshFolder()];
    const source = memorySource({ rows: 400, dtype: "bfloat16" });
    const form = { how: "test", from: [], shardRows: 20 };
    const dataset = await writeDataset(folder, source, form);
    const kept = await dataset.filter({ split: "train" });
    const both = await dataset.append(kept, { prefix: "x/" });
    for (const [i, rows] of [dataset, kept, both].entries()) {
      const writers = [
        (to: string, signal: AbortSignal) => writeDataset(to, rows, { ...form, signal }),
        ...rowFormats.map(
          (format) => (to: string, signal: AbortSignal) => exportRows(rows, to, { format, signal }),
        ),
      ];
      for (const [k, write] of writers.entries()) {
        const stopped = write(join(beside, `${i} ${k}`), abortedAfter(2));
        await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
        expect(await openFiles([folder])).toEqual([]);
      }
    }
  },
);

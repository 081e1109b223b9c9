import { join } from "node:path";
import { expect, test } from "vitest";
import { exportRows, importDataset, importRows } from "../../src/index.ts";
import { freshFolder } from "../collect/collect-helpers.ts";
import { memorySource } from "../dataset/memory-source.ts";

const rows = memorySource({ rows: 5, dtype: "float16" });

test.each<[object, RegExp]>([
  [{ format: "csv" }, /format: "csv"; allowed: "parquet", "arrow", "safetensors", "npy"/],
  [{}, /format: nothing; allowed: "parquet"/],
  [{ format: "parquet", numbers: "float64" }, /numbers: "float64"; allowed: "float32", "bits"/],
  [{ format: "parquet", compression: "brotli9" }, /compression: "brotli9"; allowed: /],
  [{ format: "parquet", rowGroupRows: 0 }, /rowGroupRows: 0; allowed: a number of at least 1/],
  [
    { format: "parquet", rowgroups: 5 },
    /the field rowgroups; allowed: only replace, signal, numbers, compression/,
  ],
  [{ format: "arrow", compression: "zstd" }, /the field compression; allowed: only replace/],
  [{ format: "npy", replace: "yes" }, /replace: "yes"; allowed: true or false/],
  [{ format: "safetensors", numbers: "bits" }, /the field numbers/],
])("options of a writer: %j", async (options, message) => {
  const to = join(await freshFolder(), "to");
  const writing = exportRows(rows, to, options as Parameters<typeof exportRows>[2]);
  await expect(writing).rejects.toMatchObject({ code: "invalid_request" });
  await expect(writing).rejects.toThrow(message);
});

test.each<[object, RegExp]>([
  [{ dtype: "float64" }, /dtype: "float64"; allowed: "bfloat16", "float16", "float32"/],
  [{ round: "yes" }, /round: "yes"; allowed: true or false/],
  [{ format: "csv" }, /format: "csv"/],
  [{ map: { typo: "x" } }, /map: the field typo; allowed: only example, group/],
  [{ map: { labels: "truth" } }, /map.labels: "truth"; allowed: a list/],
  [{ typo: 1 }, /the field typo/],
])("options of a reader: %j", async (options, message) => {
  const folder = await freshFolder();
  for (const format of ["parquet", "arrow", "safetensors", "npy"] as const) {
    const path = join(folder, format === "npy" ? "npy" : `rows.${format}`);
    await exportRows(rows, path, { format, replace: true });
    await expect(importRows(path, options)).rejects.toThrow(message);
    await expect(importDataset(path, join(folder, "to"), options)).rejects.toThrow(message);
  }
});

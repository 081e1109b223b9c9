import { writeDataset } from "../../src/dataset/write-dataset.ts";
import { memorySource } from "./memory-source.ts";

/** Writes many small shards into the folder given, and tells of each, to be killed. */
const [folder, rows] = process.argv.slice(2) as [string, string];
await writeDataset(folder, memorySource({ rows: Number(rows), dtype: "bfloat16" }), {
  how: "test",
  from: [],
  shardRows: 5,
  onProgress: () => void process.stdout.write("."),
});

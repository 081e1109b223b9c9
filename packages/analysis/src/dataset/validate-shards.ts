import { join } from "node:path";
import type { ColumnField } from "../shards/column-field.ts";
import { DatasetError } from "./dataset-error.ts";
import type { DatasetManifest, ShardEntry } from "./dataset-manifest.ts";
import { checkShardFile, checkShardSum } from "./dataset-shard.ts";
import { batchColumn, eachBatch } from "./each-batch.ts";
import type { ShardFiles } from "./shard-files.ts";

/** Reads every byte of a dataset's shards, and every value of the columns that are not layers. Throws DatasetError. */
export async function validateShards(
  folder: string,
  manifest: DatasetManifest,
  files: ShardFiles,
): Promise<void> {
  for (const shard of manifest.shards) {
    await checkShardSum(await checkShardFile(folder, shard), shard.sha256);
  }
  const runs = manifest.shards.map(() => 0);
  let last: { shard: number; example: unknown } | undefined;
  for await (const batch of eachBatch(files)) {
    const { shard } = batch;
    for (const field of manifest.columns) {
      const values = await batchColumn(batch, field);
      if (!isExample(field)) continue;
      for (const example of values) {
        if (last?.shard !== shard || last.example !== example) runs[shard] = (runs[shard] as number) + 1;
        last = { shard, example };
      }
    }
  }
  for (const [index, { file, examples }] of manifest.shards.entries()) {
    if (runs[index] !== examples) throw wrongExamples(join(folder, file), runs[index] as number, examples);
  }
}

const isExample = ({ name }: ColumnField): boolean => name === "example";

function wrongExamples(path: string, found: number, expected: ShardEntry["examples"]): DatasetError {
  return new DatasetError("shard_mismatch", {
    path,
    found: `rows of ${found} examples`,
    expected: `${expected}, as dataset.json says`,
    advice: "Restore the file from a copy, or make the dataset again in another folder.",
  });
}

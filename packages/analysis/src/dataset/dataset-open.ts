import { resolve } from "node:path";
import { readManifest, type DatasetManifest } from "./dataset-manifest.ts";
import { readRows, type DatasetRow } from "./dataset-rows.ts";
import { checkShardFile, checkShardSum } from "./dataset-shard.ts";
import type { RowSource } from "./row-source.ts";
import { eachBatch, shardSource } from "./shard-source.ts";
import { pickShardRows } from "./views/pick-shard-rows.ts";
import { manifestLineage } from "./views/view-parts.ts";
import { viewMethods, type DatasetView } from "./views/view-methods.ts";

/** Labelled rows of activations in a folder. */
export interface ActivationDataset extends DatasetView {
  readonly folder: string;
  readonly manifest: DatasetManifest;
  /** All columns that are not layers, by row. */
  readRows(): Promise<DatasetRow[]>;
  /** Reads every byte: checksums, the place of each shard, row counts. Throws DatasetError at the first fault. */
  validate(): Promise<void>;
}

/** Below this, opening a dataset checks every checksum. */
const smallDataset = 64 << 20;

/** Opens the dataset in a folder. Checks the manifest and the shards' sizes, of small ones every byte. Throws DatasetError. */
export async function openDataset(folder: string): Promise<ActivationDataset> {
  const manifest = await readManifest(folder);
  const dataset = datasetOf(resolve(folder), manifest);
  const bytes = manifest.shards.reduce((sum, shard) => sum + shard.bytes, 0);
  if (bytes <= smallDataset) await dataset.validate();
  else await Promise.all(manifest.shards.map((shard) => checkShardFile(folder, shard)));
  return dataset;
}

function datasetOf(folder: string, manifest: DatasetManifest): ActivationDataset {
  const source: RowSource = {
    ...shardSource(folder, manifest),
    pick: (request) => pickShardRows(folder, manifest, request),
  };
  const lineage = manifestLineage(folder, manifest);
  return {
    folder,
    manifest,
    ...source,
    ...viewMethods(() => Promise.resolve({ source, lineage })),
    lineage,
    readRows: () => readRows(source),
    async validate() {
      for (const shard of manifest.shards)
        await checkShardSum(await checkShardFile(folder, shard), shard.sha256);
      for await (const batch of eachBatch(folder, manifest)) void batch;
    },
  };
}

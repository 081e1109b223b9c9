import { resolve } from "node:path";
import type { CollectFailure } from "../collect/collect-failure.ts";
import { readFailures } from "../collect/failures-file.ts";
import { inFlight } from "../files/in-flight.ts";
import { checkPath } from "../options/check-path.ts";
import type { DatasetManifest } from "./dataset-manifest.ts";
import { readManifest } from "./read-manifest.ts";
import { setLayerFiller } from "./layer-filler.ts";
import { readLayer } from "./read-layer.ts";
import { readRows, type DatasetRow } from "./dataset-rows.ts";
import { checkShardFile } from "./dataset-shard.ts";
import { shardFiles } from "./shard-files.ts";
import { shardSource } from "./shard-source.ts";
import { validateShards } from "./validate-shards.ts";
import { manifestLineage } from "./views/view-parts.ts";
import { viewMethods, type DatasetView } from "./views/view-methods.ts";

/** Labelled rows of activations in a folder. */
export interface ActivationDataset extends DatasetView {
  readonly folder: string;
  readonly manifest: DatasetManifest;
  /** All columns that are not layers, by row. */
  readRows(): Promise<DatasetRow[]>;
  /** Examples that gave no rows, with their errors, in the order of the examples. */
  failures(): Promise<CollectFailure[]>;
  /**
   * Reads every byte: checksums, the place of each shard, counts of rows and examples, every value of the columns that are not
   * layers. Throws DatasetError at the first fault.
   */
  validate(): Promise<void>;
}

/** Below this, opening a dataset checks every checksum. */
const smallDataset = 64 << 20;

/** Opens the dataset in a folder. Checks the manifest and the shards' sizes, of small ones every byte. Throws DatasetError, and InvalidRequestError for what is no path. */
export async function openDataset(folder: string): Promise<ActivationDataset> {
  checkPath(folder, "folder");
  const manifest = await readManifest(folder);
  const dataset = datasetOf(resolve(folder), manifest);
  const bytes = manifest.shards.reduce((sum, shard) => sum + shard.bytes, 0);
  if (bytes <= smallDataset) await dataset.validate();
  else await inFlight(manifest.shards, 16, async (shard) => void (await checkShardFile(folder, shard)));
  return dataset;
}

function datasetOf(folder: string, manifest: DatasetManifest): ActivationDataset {
  const files = shardFiles(folder, manifest);
  const source = shardSource(folder, manifest, files);
  const lineage = manifestLineage(folder, manifest);
  const dataset: ActivationDataset = {
    folder,
    manifest,
    ...source,
    ...viewMethods(() => Promise.resolve({ source, lineage })),
    lineage,
    readRows: () => readRows(source),
    failures: () => (manifest.failures ? readFailures(folder, manifest.failures) : Promise.resolve([])),
    async validate() {
      if (manifest.failures) await readFailures(folder, manifest.failures);
      await validateShards(folder, manifest, files);
    },
  };
  setLayerFiller(dataset, (layer, target) => readLayer(files, layer, manifest, target));
  return dataset;
}

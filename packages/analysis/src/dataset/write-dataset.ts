import { join } from "node:path";
import type { CollectFailure } from "../collect/collect-failure.ts";
import { failuresName, writeFailures } from "../collect/failures-file.ts";
import { removeDrafts } from "../files/file-atomic.ts";
import { lockFolder } from "../files/file-lock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { cutByExample, type RowBlock } from "../shards/row-block.ts";
import { dtypeBytes } from "../shards/row-dtype.ts";
import { shardName, type ShardColumns } from "../shards/shard-schema.ts";
import { writeShard } from "../shards/shard-write.ts";
import { DatasetError, fileError } from "./dataset-error.ts";
import {
  contentHash,
  datasetSchemaVersion,
  layerConvention,
  originHash,
  writeManifest,
  type DatasetManifest,
  type ShardEntry,
} from "./dataset-manifest.ts";
import { openDataset, type ActivationDataset } from "./dataset-open.ts";
import { refuseUsedFolder } from "./refuse-used-folder.ts";
import type { RowSource } from "./row-source.ts";

export interface WriteDatasetOptions {
  /** In words: what was done to get these rows, such as `merge`. */
  how: string;
  /** Content hashes of the datasets, or SHA-256 of the files, that the rows are from. */
  from: readonly string[];
  /** What a manifest says beside its rows; null or left out where it is not known. */
  about?: Partial<Pick<DatasetManifest, "model" | "checkpoint" | "selection" | "server" | "chatTemplate">>;
  /** Examples that gave no rows, to be kept beside them. */
  failures?: readonly CollectFailure[];
  signal?: AbortSignal;
  onProgress?: (progress: { rows: number; total: number }) => void;
  /** A shard ends with the example that reaches this many rows, or 64 MiB. Default: no limit but that. */
  shardRows?: number;
}

/** A shard ends when its layers come to this. */
const shardBytes = 64 << 20;

/**
 * Writes rows as a new dataset: shards one by one, `dataset.json` last, so that a folder with it is whole. What a killed run
 * left there is removed. Throws DatasetError (`dataset_differs` where a dataset is already, `dataset_locked`, `disk_full`, …).
 */
export async function writeDataset(
  to: string,
  source: RowSource,
  options: WriteDatasetOptions,
): Promise<ActivationDataset> {
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    await refuseUsedFolder(to);
    await removeDrafts(to);
    await writeAll(to, source, options);
  } finally {
    await lock.release();
  }
  return openDataset(to);
}

async function writeAll(to: string, source: RowSource, options: WriteDatasetOptions): Promise<void> {
  const { how, from, about = {}, signal, onProgress, shardRows = Number.POSITIVE_INFINITY } = options;
  const { layers, hiddenSize, dtype, fields } = source;
  const columns: ShardColumns = { fields, layers, hiddenSize, dtype };
  const origin = { kind: "derived" as const, how, from: [...from] };
  const rowBytes = dtypeBytes(dtype) * hiddenSize * layers.length;
  const most = Math.max(1, Math.min(shardRows, Math.floor(shardBytes / rowBytes)));
  const shards: ShardEntry[] = [];
  let examples = 0;
  for await (const runs of runsOf(source, most)) {
    signal?.throwIfAborted();
    const file = shardName(shards.length);
    const identity = {
      plan: originHash(origin),
      checkpoint: about.checkpoint ?? "",
      shard: shards.length,
      firstExample: examples,
      examples: runs.examples,
    };
    const written = await writeShard(join(to, file), { columns, identity, blocks: runs.blocks });
    shards.push({ file, rows: runs.rows, examples: runs.examples, ...written });
    examples += runs.examples;
    onProgress?.({ rows: shards.reduce((sum, { rows }) => sum + rows, 0), total: source.rows });
  }
  const rows = shards.reduce((sum, shard) => sum + shard.rows, 0);
  if (rows === 0) throw noRows(to, how);
  const failures = options.failures?.length
    ? { failures: await writeFailures(to, failuresName(0), options.failures) }
    : {};
  await writeManifest(to, {
    format: "residua-activation-dataset",
    schemaVersion: datasetSchemaVersion,
    model: null,
    checkpoint: null,
    selection: null,
    ...about,
    layerConvention,
    hiddenSize,
    layers: [...layers],
    dtype,
    columns: [...fields],
    rows,
    examples,
    shards,
    origin,
    contentHash: contentHash(origin, shards),
    ...failures,
    createdWith: "@residua/analysis",
  });
}

interface Runs {
  rows: number;
  examples: number;
  blocks: RowBlock[];
}

/** Rows of whole examples, `most` of them or a little more, where an example goes on. */
async function* runsOf(source: RowSource, most: number): AsyncGenerator<Runs> {
  let runs: Runs = { rows: 0, examples: 0, blocks: [] };
  let last: unknown;
  for await (const block of source.blocks({ rows: most })) {
    for (const run of cutByExample(block)) {
      const example = run.columns.get("example")?.[0];
      const goesOn = runs.rows > 0 && example === last;
      if (!goesOn && runs.rows >= most) {
        yield runs;
        runs = { rows: 0, examples: 0, blocks: [] };
      }
      if (!goesOn) runs.examples++;
      runs.rows += run.rows;
      runs.blocks.push(run);
      last = example;
    }
  }
  if (runs.rows > 0) yield runs;
}

function noRows(path: string, how: string): DatasetError {
  return new DatasetError("no_rows", {
    path,
    found: `no row to write (${how})`,
    expected: "at least one row",
    advice: "Check the filter, or the source.",
  });
}

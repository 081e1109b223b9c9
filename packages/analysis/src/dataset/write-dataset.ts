import { join } from "node:path";
import { z } from "zod";
import type { CollectFailure } from "../collect/collect-failure.ts";
import { failuresName, writeFailures } from "../collect/failures-file.ts";
import { lockFolder } from "../files/file-lock.ts";
import { startHashThread } from "../files/hash-thread.ts";
import { inFlight } from "../files/in-flight.ts";
import { makeFolder } from "../files/make-folder.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkPath } from "../options/check-path.ts";
import { dtypeBytes } from "../shards/row-dtype.ts";
import { shardName, type ShardColumns } from "../shards/shard-schema.ts";
import { writeShard } from "../shards/shard-write.ts";
import { sourceInvalid } from "./checked-source.ts";
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
import { exampleRuns, type ExampleRuns } from "./example-runs.ts";
import type { RowSource } from "./row-source.ts";
import { markWriting, takeBack, unmarkWriting } from "./writing-mark.ts";

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

/** Of a row source, what is needed to write it down: rows may also come from where they cannot be read twice. */
export type RowStream = Pick<RowSource, "rows" | "layers" | "hiddenSize" | "dtype" | "fields" | "blocks">;

/** A shard ends when its layers come to this. */
const shardBytes = 64 << 20;

/** Shards on their way to the disk: one is written while those before are hashed and synced. */
const shardsAtOnce = 3;

/** From this size of its layers on, hashing a dataset is worth a thread of its own. */
const threadedBytes = 128 << 20;

/**
 * Writes rows as a new dataset: shards, and `dataset.json` last, so that a folder with it is whole. A failed run takes its shards back;
 * what a killed one left is removed by the next one, which begins anew: the rows are at hand, and reading them again costs as
 * much as writing them. Throws DatasetError (`dataset_differs` where a dataset is already, `dataset_locked`, `column_invalid`,
 * `disk_full`, …).
 */
export async function writeDataset(
  to: string,
  source: RowStream,
  options: WriteDatasetOptions,
): Promise<ActivationDataset> {
  checkPath(to, "to");
  checkOptions(z.int().min(1).optional(), options.shardRows, "writeDataset options", "shardRows");
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    await refuseUsedFolder(to);
    await markWriting(to, options);
    try {
      await writeAll(to, source, options);
    } catch (error) {
      await takeBack(to);
      throw error;
    }
    await unmarkWriting(to);
  } finally {
    await lock.release();
  }
  return openDataset(to);
}

async function writeAll(to: string, source: RowStream, options: WriteDatasetOptions): Promise<void> {
  const { how, from, about = {}, signal, onProgress, shardRows = Number.POSITIVE_INFINITY } = options;
  const { layers, hiddenSize, dtype, fields } = source;
  const columns: ShardColumns = { fields, layers, hiddenSize, dtype };
  const origin = { kind: "derived" as const, how, from: [...from] };
  const rowBytes = dtypeBytes(dtype) * hiddenSize * layers.length;
  const most = Math.max(1, Math.min(shardRows, Math.floor(shardBytes / rowBytes)));
  const shards: ShardEntry[] = [];
  const thread = rowBytes * source.rows >= threadedBytes ? startHashThread() : undefined;
  let done = 0;
  const writeRun = async (runs: ExampleRuns): Promise<void> => {
    signal?.throwIfAborted();
    const { index, firstExample, examples, rows, blocks } = runs;
    const file = shardName(index);
    const checkpoint = about.checkpoint ?? "";
    const identity = { plan: originHash(origin), checkpoint, shard: index, firstExample, examples };
    const written = await writeShard(join(to, file), { columns, identity, blocks, hash: thread?.hash });
    shards[index] = { file, rows, examples, ...written };
    done += rows;
    onProgress?.({ rows: done, total: source.rows });
  };
  try {
    await inFlight(exampleRuns(source, most), shardsAtOnce, writeRun);
  } finally {
    await thread?.end();
  }
  signal?.throwIfAborted();
  const rows = shards.reduce((sum, shard) => sum + shard.rows, 0);
  if (rows === 0) throw noRows(to, how);
  if (rows !== source.rows) throw sourceInvalid(source, `${rows} rows`, `${source.rows} rows, as it says`);
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
    examples: shards.reduce((sum, shard) => sum + shard.examples, 0),
    shards,
    origin,
    contentHash: contentHash(origin, shards),
    ...failures,
    createdWith: "@residua/analysis",
  });
}

function noRows(path: string, how: string): DatasetError {
  return new DatasetError("no_rows", {
    path,
    found: `no row to write (${how})`,
    expected: "at least one row",
    advice: "Check the filter, or the source.",
  });
}

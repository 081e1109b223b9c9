import { DatasetError, openDataset } from "@residua/analysis";
import { CheckFailedError } from "./check-failed-error.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./make-command.ts";

/** What a folder's files cannot be when a dataset is whole; other errors (no such folder, no right to read) are no finding. */
const faults: readonly string[] = [
  ...["dataset_incomplete", "schema_version_unknown", "manifest_invalid", "shard_missing"],
  ...["outside_folder", "shard_size", "shard_checksum", "shard_corrupt", "shard_mismatch"],
];

/** `residua dataset validate`: whether every byte of a dataset is what was written. */
export async function validateDataset(
  { dataset: folder }: { dataset: string },
  { output }: CommandContext,
): Promise<void> {
  try {
    const dataset = await openDataset(folder);
    await dataset.validate();
    const { rows, examples, shards, contentHash } = dataset.manifest;
    const bytes = shards.reduce((sum, shard) => sum + shard.bytes, 0);
    const table = alignColumns([
      ["rows", String(rows)],
      ["examples", String(examples)],
      ["shards", String(shards.length)],
      ["bytes", String(bytes)],
    ]);
    output.result(
      { ok: true, rows, examples, shards: shards.length, bytes, contentHash },
      `${folder}: whole; every checksum, place and row count is right\n${table}\ncontent hash ${contentHash}`,
    );
  } catch (error) {
    if (!(error instanceof DatasetError) || !faults.includes(error.code)) throw error;
    const { code, path, found, expected, advice } = error;
    output.result({ ok: false, code, path, found, expected, advice }, `${folder}: not whole (${code})`);
    throw new CheckFailedError(error.message);
  }
}

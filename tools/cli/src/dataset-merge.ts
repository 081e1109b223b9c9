import { mergeDatasets } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua dataset merge`. */
export interface DatasetMergeOptions {
  datasets: string[];
  to: string;
  prefix?: boolean;
  prefixGroups?: boolean;
}

/** `residua dataset merge`: several datasets as one. */
export async function mergeDatasetsCommand(
  { datasets, to, prefix = false, prefixGroups = false }: DatasetMergeOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  const merged = await mergeDatasets(datasets, to, {
    prefix,
    prefixGroups,
    signal,
    onProgress: ({ rows, total }) => output.count("rows", rows, total),
  });
  const { rows, examples, layers, shards, contentHash } = merged.manifest;
  output.result(
    { to, rows, examples, layers, shards: shards.length, contentHash },
    `${to}: ${rows} rows of ${examples} examples from ${datasets.length} datasets, in ${shards.length} shards`,
  );
}

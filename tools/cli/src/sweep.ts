import { openDataset, sweepLayers, useBackend } from "@residua/analysis";
import { UsageError } from "./usage-error.ts";
import type { CommandContext } from "./program.ts";
import { sweepTable } from "./sweep-table.ts";

/** Options of `residua sweep`. */
export interface SweepCommandOptions {
  dataset: string;
  label: string;
  folds: number;
  split?: string;
  seed: number;
}

/** `residua sweep`: how well a label can be read at each layer of a dataset, by group, with controls and a verdict. */
export async function sweepCommand(
  options: SweepCommandOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  const { label, folds, seed } = options;
  const dataset = await openDataset(options.dataset);
  await useBackend();
  const where = await splitFilter(dataset, options.split);
  const sweep = await sweepLayers(dataset, {
    label,
    folds,
    seed,
    signal,
    ...(where && { where }),
    onProgress: ({ done, total }) => output.count("layers", done, total),
  });
  output.result(sweep, sweepTable(sweep));
}

/** A test for rows of one split; undefined where every row is meant. Throws when the split has no row. */
export async function splitFilter(
  dataset: { column(name: string): Promise<ArrayLike<unknown>> },
  split: string | undefined,
): Promise<((row: number) => boolean) | undefined> {
  if (split === undefined) return undefined;
  const splits = Array.from(await dataset.column("split"));
  if (!splits.includes(split)) {
    const known = [...new Set(splits)].map((name) => JSON.stringify(name)).join(", ");
    throw new UsageError(`--split: no row has the split "${split}"; the dataset has ${known}`);
  }
  return (row) => splits[row] === split;
}

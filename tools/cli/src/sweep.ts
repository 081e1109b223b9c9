import { datasetModel, openDataset, sweepLayers, useBackend } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { inputDataset, resultFile, type ResultFileOptions } from "./result-file.ts";
import { UsageError } from "./usage-error.ts";
import { sweepTable } from "./sweep-table.ts";

/** Options of `residua sweep`. */
export interface SweepCommandOptions extends ResultFileOptions {
  dataset: string;
  label: string;
  folds: number;
  split?: string;
  seed: number;
}

/** `residua sweep`: how well a label can be read at each layer of a dataset, by group, with controls and a verdict. */
export async function sweepCommand(options: SweepCommandOptions, context: CommandContext): Promise<void> {
  const { output, signal } = context;
  const { label, folds, seed } = options;
  const write = await resultFile(options, context);
  const dataset = await openDataset(options.dataset);
  const backend = await useBackend();
  const where = await splitFilter(dataset, options.split);
  const sweep = await sweepLayers(dataset, {
    label,
    folds,
    seed,
    signal,
    ...(where && { where }),
    onProgress: ({ done, total }) => output.count("layers", done, total),
  });
  const model = datasetModel(dataset.manifest);
  await write(sweep, {
    inputs: [inputDataset(options.dataset, dataset)],
    settings: {
      ...(model !== null && { model }),
      backend: backend.name,
      ...(options.split !== undefined && { split: options.split }),
    },
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

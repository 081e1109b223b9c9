import { basename } from "node:path";
import { openDataset, transferMatrix, useBackend, type TransferMatrix } from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { withInterval } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import { probeOf } from "./probe-choice.ts";
import type { ProbeChoice } from "./probe-choices.ts";
import { inputDataset, resultFile, type ResultFileOptions } from "./result-file.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua transfer`. */
export interface TransferCommandOptions extends ResultFileOptions {
  datasets: string[];
  label: string;
  layer: number;
  probe: ProbeChoice;
  folds: number;
  seed: number;
  shared: "refuse" | "leave-out";
}

/** `residua transfer`: the probe of each dataset, scored on every other. */
export async function transferCommand(
  options: TransferCommandOptions,
  context: CommandContext,
): Promise<void> {
  const { label, layer, folds, seed, shared } = options;
  const write = await resultFile(options, context);
  const names = namesOf(options.datasets);
  const opened = await Promise.all(options.datasets.map((folder) => openDataset(folder)));
  const backend = await useBackend();
  const matrix = await transferMatrix(
    Object.fromEntries(opened.map((dataset, at) => [names[at]!, dataset])),
    { label, layer, folds, seed, shared, probe: probeOf(options.probe) },
  );
  await write(matrix, {
    inputs: opened.map((dataset, at) => inputDataset(options.datasets[at]!, dataset)),
    settings: { backend: backend.name },
  });
  context.output.result(matrix, transferTable(matrix));
}

/** Datasets are called by their folders' names, which must differ. */
function namesOf(folders: readonly string[]): string[] {
  if (folders.length < 2) throw new UsageError("datasets: give at least two folders");
  const names = folders.map((folder) => basename(folder.replace(/[\\/]+$/, "")));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new UsageError(`datasets: two folders are called "${twice}"; give folders of different names`);
  return names;
}

function transferTable({ datasets, cells, score, layer, probe, notes }: TransferMatrix): string {
  const names = datasets.map(({ name }) => name);
  const cellOf = (train: string, test: string) =>
    cells.find((cell) => cell.train === train && cell.test === test)!;
  const rows = names.map((train) => [
    train,
    ...names.map((test) => `${withInterval(cellOf(train, test).score)}${train === test ? " *" : ""}`),
  ]);
  return [
    alignColumns([[`fitted on, scored on →`, ...names], ...rows]),
    `${score === "r2" ? "R²" : "AUROC"} [95 %] of ${probe}, layer ${layer}; *: held out by folds of the same dataset`,
    ...notes,
  ].join("\n");
}

import { dirname, join } from "node:path";
import { openDataset, type ActivationDataset } from "@residua/analysis";
import { ExplorerError } from "../explorer-error.ts";
import { meanDifferenceScorer, type TwoValues } from "../scorers/mean-difference-scorer.ts";
import type { Scorer } from "../scorers/scorer.ts";
import { findFiles } from "./find-files.ts";
import { readScorerFiles, type UnreadFile } from "./read-scorer-files.ts";
import { runDataset, type RunDataset } from "./run-dataset.ts";

/** What a run's folder has to look at. */
export interface Run {
  readonly folder: string;
  readonly datasets: readonly RunDataset[];
  readonly scorers: readonly Scorer[];
  /** What says that it is a dataset, a probe or a direction, and could not be used. */
  readonly unread: readonly UnreadFile[];
  /** There are more files or deeper folders than were looked at. */
  readonly more: boolean;
}

/**
 * Finds the datasets, trained probes and directions of a folder and of the folders in it, and for each label of two values the
 * mean difference. Throws ExplorerError `folder_unreadable`, `nothing_to_explore`.
 */
export async function openRun(folder: string): Promise<Run> {
  const { files, more } = await findFiles(folder);
  const datasets: RunDataset[] = [];
  const unread: UnreadFile[] = [];
  for (const file of files.filter((name) => name === "dataset.json" || name.endsWith("/dataset.json"))) {
    try {
      const dataset = await openDataset(join(folder, dirname(file)));
      datasets.push(runDataset(dirname(file), dataset));
    } catch (error) {
      unread.push({ file, reason: (error as Error).message });
    }
  }
  const saved = await readScorerFiles(folder, files);
  unread.push(...saved.unread);
  if (datasets.length === 0 && saved.scorers.length === 0) {
    throw new ExplorerError(
      "nothing_to_explore",
      `${folder} has no dataset, probe or direction that can be read${unreadWords(unread)}: give the folder of a run, such as runs/first-run (npm start makes it).`,
      { folder, unread },
    );
  }
  const made: Scorer[] = [];
  for (const { place, dataset } of datasets) {
    for (const values of await labelsOfTwo(dataset))
      made.push(meanDifferenceScorer(dataset, values, { place, alone: datasets.length === 1 }));
  }
  return { folder, datasets, scorers: [...saved.scorers, ...made], unread, more };
}

function unreadWords(unread: readonly UnreadFile[]): string {
  return unread.map(({ file, reason }) => `; ${file}: ${reason}`).join("");
}

/** Labels with two values, the larger one (true; the later word) positive; of a dataset with a training split its rows alone. */
async function labelsOfTwo(dataset: ActivationDataset): Promise<TwoValues[]> {
  const splits = dataset.columns.includes("split") ? await dataset.column("split") : [];
  const split = splits.includes("train") ? "train" : null;
  const found: TwoValues[] = [];
  for (const { name, role, type } of dataset.fields) {
    if (role !== "label" || type === "int32[]") continue;
    const values = await dataset.column(name);
    const seen = new Set(
      values.filter((value, row) => value !== null && (split === null || splits[row] === split)),
    );
    if (seen.size !== 2) continue;
    const [negative, positive] = [...seen].sort((a, b) => (a! < b! ? -1 : 1)) as [
      TwoValues["negative"],
      TwoValues["positive"],
    ];
    found.push({ label: name, positive, negative, split });
  }
  return found;
}

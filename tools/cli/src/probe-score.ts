import {
  aurocMetric,
  estimateMetric,
  loadProbe,
  openDataset,
  scoreDataset,
  type ActivationDataset,
  type Estimate,
  type TrainedProbe,
} from "@residua/analysis";
import type { CommandContext } from "./make-command.ts";
import { withInterval } from "./numbers.ts";
import { splitFilter } from "./sweep.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua probe score`. */
export interface ProbeScoreOptions {
  probe: string;
  dataset: string;
  split?: string;
  label?: string;
  seed: number;
}

/** `residua probe score`: what a saved probe says of a dataset's rows, and how well that agrees with a label. */
export async function probeScore(options: ProbeScoreOptions, { output }: CommandContext): Promise<void> {
  const probe = await loadProbe(options.probe);
  const dataset = await openDataset(options.dataset);
  const where = await splitFilter(dataset, options.split);
  const { rows, scores, flags, reason } = await scoreDataset(probe, dataset, where ? { where } : {});
  const examples = await dataset.column("example");
  const label = options.label ?? probe.label ?? undefined;
  const auroc =
    probe.task === "classes" || (options.label === undefined && !dataset.columns.includes(label ?? ""))
      ? undefined
      : await aurocOf({ probe, dataset, rows, scores, label: label!, seed: options.seed });
  const columns = scores.length / rows.length;
  const scored = rows.map((row, at) => ({
    row,
    example: examples[row],
    score: columns === 1 ? scores[at]! : [...scores.subarray(at * columns, (at + 1) * columns)],
    ...(flags && { flagged: flags[at] }),
  }));
  const data = {
    probe: options.probe,
    dataset: options.dataset,
    label: label ?? null,
    auroc: auroc ?? null,
    rows: scored,
  };
  output.result(data, [...summary(scored.length, flags, reason), ...aurocLine(label, auroc)].join("\n"));
}

function summary(rows: number, flags: readonly boolean[] | null, reason: string | null): string[] {
  const flagged = flags?.filter(Boolean).length;
  return [
    `${rows} rows scored (--json prints each)`,
    flagged === undefined ? `none flagged: ${reason}` : `${flagged} flagged by the stored threshold`,
  ];
}

function aurocLine(label: string | undefined, auroc: Estimate | undefined): string[] {
  if (auroc === undefined) return [];
  const sizes = `${auroc.n} rows in ${auroc.groups} groups`;
  if (auroc.value === null) return [`AUROC of ${label}: undefined (${auroc.reason})`];
  return [`AUROC of ${label}: ${withInterval(auroc)}, ${sizes}`];
}

/** Over rows that have the label. */
async function aurocOf(options: {
  probe: TrainedProbe;
  dataset: ActivationDataset;
  rows: readonly number[];
  scores: Float64Array;
  label: string;
  seed: number;
}): Promise<Estimate> {
  const { probe, dataset, rows, scores, label, seed } = options;
  if (!dataset.columns.includes(label))
    throw new UsageError(
      `--label: there is no column "${label}"; the dataset has ${dataset.columns.join(", ")}`,
    );
  const [labels, groups] = await Promise.all([dataset.column(label), dataset.column("group")]);
  const known = [...rows.keys()].filter((at) => labels[rows[at]!] !== null);
  return estimateMetric(
    aurocMetric,
    {
      scores: known.map((at) => scores[at]!),
      labels: known.map((at) => Number(labels[rows[at]!] === probe.positive)),
      groups: known.map((at) => groups[rows[at]!]),
    },
    { seed },
  );
}

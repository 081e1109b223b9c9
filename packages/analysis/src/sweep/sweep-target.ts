import { columnOf } from "../probes/checked-reads.ts";
import type { Probe } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { chosenRows, type RowChoice } from "../probes/row-choice.ts";
import { groupsOf, type LabelValue, type SweepDataset } from "../probes/sweep-rows.ts";
import { trainingLabels, type TrainingLabels } from "../probes/trained/training-labels.ts";
import type { ProbeTask } from "../results/trained-probe.ts";
import { aurocMetric } from "../statistics/metrics/auroc.ts";
import { macroAurocMetric } from "../statistics/metrics/macro-auroc.ts";
import type { Metric } from "../statistics/metrics/metric.ts";
import { rSquaredMetric } from "../statistics/metrics/number-metrics.ts";

/** What probes of a sweep learn, as plain data that goes to workers. */
export interface SweepTarget {
  task: ProbeTask;
  /** `[rows]`: 1 (positive) or 0, the class's place, or the number. */
  labels: Float64Array;
  /** Score columns: one, or one a class. */
  columns: number;
  /** `[rows]`: number of each row's group. */
  groupOf: Uint32Array;
  groups: number;
}

/** The rows that a sweep uses, with what is told of them. */
export interface SweepRows extends SweepTarget {
  /** Their row numbers in the dataset, ascending. */
  kept: Uint32Array;
  positive: LabelValue | null;
  classes: readonly LabelValue[] | null;
  /** Positive and negative rows, rows of each class, or rows above the mean and the rest. */
  counts: number[];
  groupColumn: string;
  notes: string[];
}

/** Reads labels and groups. Numbers of more than two values are predicted as numbers, unless the probes given read classes. */
export async function sweepTarget(
  dataset: SweepDataset,
  options: {
    label: string;
    positive?: LabelValue | undefined;
    group?: string | undefined;
    where?: RowChoice | undefined;
    probes?: readonly Probe[] | undefined;
  },
): Promise<SweepRows> {
  const { label, positive, probes } = options;
  const given = await columnOf(dataset, label);
  const selected = await chosenRows(dataset, options.where);
  const values = selected.map((row) => given[row]);
  const target = probes ? commonTarget(probes) : usualTarget(values, positive);
  const read = trainingLabels(values, { name: label, target, positive });
  const kept = Uint32Array.from(read.kept, (i) => selected[i]!);
  const notes: string[] = [];
  if (kept.length < selected.length)
    notes.push(`${selected.length - kept.length} rows without a value of ${label} were left out.`);
  if (read.task === "number")
    notes.push(
      `Label ${label} is read as a number: the score is R² of the prediction, 0 for a guess of the mean.`,
    );
  return { ...rowsOf(read), kept, notes, ...(await groupsOf(dataset, options.group, { kept, notes })) };
}

function rowsOf({ task, targets, classes, positive, counts }: TrainingLabels) {
  return { task, labels: targets, columns: classes?.length ?? 1, classes, positive, counts };
}

function commonTarget(probes: readonly Probe[]): Probe["target"] {
  const [first] = probes;
  const other = probes.find(({ target }) => target !== first!.target);
  if (!other) return first!.target;
  throw new ProbeError(
    "bad_option",
    `probes holds ${first!.name}, which reads ${first!.target}, and ${other.name}, which reads ${other.target}: give probes of one kind.`,
    { probes: probes.map(({ name }) => name) },
  );
}

function usualTarget(values: readonly unknown[], positive: LabelValue | undefined): Probe["target"] {
  if (positive !== undefined) return "classes";
  const known = new Set(
    values.filter((value) => value !== null && value !== undefined && !Number.isNaN(value)),
  );
  return known.size > 2 && [...known].every((value) => typeof value === "number") ? "number" : "classes";
}

/** `[columns][rows]`: the labels that each score column is fitted to; of classes 1 for the class and 0 for every other. */
export function columnLabels(
  { task, columns }: Pick<SweepTarget, "task" | "columns">,
  labels: Float64Array,
): Float64Array[] {
  if (task !== "classes") return [labels];
  return Array.from({ length: columns }, (_, c) => labels.map((label) => (label === c ? 1 : 0)));
}

/** What a sweep chooses by and reports first: AUROC, macro AUROC or R². */
export function scoreMetric({ task, columns }: Pick<SweepTarget, "task" | "columns">): Metric {
  if (task === "number") return rSquaredMetric;
  return task === "classes" ? macroAurocMetric({ classes: columns }) : aurocMetric;
}

/** The name of that score in results. */
export const scoreNames = { binary: "auroc", classes: "macro-auroc", number: "r2" } as const;

/** Whether training rows hold every class, or two numbers: without them nothing can be fitted. */
export function holdsAll(
  { task, columns }: Pick<SweepTarget, "task" | "columns">,
  labels: Float64Array,
  included: Uint8Array,
): boolean {
  const seen = new Set<number>();
  for (let row = 0; row < labels.length; row++) if (included[row]) seen.add(labels[row]!);
  return task === "classes" ? seen.size === columns : seen.size > 1;
}

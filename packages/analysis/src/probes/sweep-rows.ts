import { indexGroups } from "../statistics/group-folds.ts";
import { shown } from "../options/shown.ts";
import { columnOf } from "./checked-reads.ts";
import { classValues } from "./label-values.ts";
import { ProbeError } from "./probe-error.ts";
import { chosenRows, type RowChoice } from "./row-choice.ts";

/** What a sweep reads of a dataset: an ActivationDataset, or arrays of your own. */
export interface SweepDataset {
  readonly rows: number;
  readonly layers: readonly number[];
  readonly hiddenSize: number;
  /** Names of the columns that are not layers. */
  readonly columns: readonly string[];
  column(name: string): Promise<ArrayLike<unknown>>;
  /** `[rows, hiddenSize]`. */
  layer(layer: number): Promise<Float32Array>;
}

export type LabelValue = string | number | boolean;

/** The rows that have a label, with their class. */
export interface LabelledRows {
  /** Their row numbers in the dataset, ascending. */
  kept: Uint32Array;
  /** 1 = positive. */
  labels: Uint8Array;
  positive: LabelValue;
  positives: number;
  notes: string[];
}

/** The same with each row's group. */
export interface SweepRows extends LabelledRows {
  /** Number of each row's group. */
  groupOf: Uint32Array;
  groups: number;
  groupColumn: string;
}

/** Reads a label column; refuses labels that are not two classes. */
export async function labelledRows(
  dataset: Pick<SweepDataset, "rows" | "column"> & Partial<Pick<SweepDataset, "columns">>,
  options: { label: string; positive?: LabelValue | undefined; where?: RowChoice | undefined },
): Promise<LabelledRows> {
  const given = await columnOf(dataset, options.label);
  const selected = await chosenRows(dataset, options.where);
  const kept = selected.filter((row) => isKnown(given[row]));
  const notes: string[] = [];
  if (kept.length < selected.length) {
    notes.push(`${selected.length - kept.length} rows without a value of ${options.label} were left out.`);
  }
  const values = classValues(
    kept.map((row) => given[row]),
    options.label,
  );
  const positive = options.positive ?? positiveOf(values, options.label);
  refuseOtherClasses(values, positive, options.label);
  const labels = Uint8Array.from(values, (value) => (value === positive ? 1 : 0));
  const positives = labels.reduce((sum, label) => sum + label, 0);
  if (positives === 0 || positives === labels.length) {
    throw new ProbeError(
      "one_class",
      `Label ${options.label} has ${positives} positive and ${labels.length - positives} negative rows: both classes are needed.`,
      { positives, negatives: labels.length - positives },
    );
  }
  return { kept: Uint32Array.from(kept), labels, positive, positives, notes };
}

/** Reads label and group columns; refuses labels that are not two classes, and token rows without a group. */
export async function sweepRows(
  dataset: Pick<SweepDataset, "rows" | "columns" | "column">,
  options: {
    label: string;
    positive?: LabelValue | undefined;
    group?: string | undefined;
    where?: RowChoice | undefined;
  },
): Promise<SweepRows> {
  const labelled = await labelledRows(dataset, options);
  return { ...labelled, ...(await groupsOf(dataset, options.group, labelled)) };
}

/** The group of each kept row; says in `notes` when none was given. Throws ProbeError `group_required` for token rows without one. */
export async function groupsOf(
  dataset: Pick<SweepDataset, "rows" | "columns" | "column">,
  asked: string | undefined,
  { kept, notes }: Pick<LabelledRows, "kept" | "notes">,
): Promise<Pick<SweepRows, "groupOf" | "groups" | "groupColumn">> {
  const { name, column } = await groupColumn(dataset, asked, [...kept], notes);
  const { index, count } = indexGroups(
    Array.from(kept, (row) => column[row]),
    (place) => kept[place]!,
  );
  return { groupOf: index, groups: count, groupColumn: name };
}

/** Neither null nor NaN, which other tools write for a value that is not known. */
export function isKnown(value: unknown): boolean {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

function positiveOf(values: readonly unknown[], label: string): LabelValue {
  if (values.every((value) => typeof value === "boolean")) return true;
  if (values.every((value) => value === 0 || value === 1)) return 1;
  const seen = [...new Set(values)].slice(0, 5).map(shown);
  throw new ProbeError(
    "bad_label",
    `Label ${label} holds ${seen.join(", ")}: say which of two values is positive with the option positive (true and 1 need no saying).`,
    { label },
  );
}

function refuseOtherClasses(values: readonly unknown[], positive: LabelValue, label: string): void {
  const others = new Set(values.filter((value) => value !== positive));
  if (others.size <= 1) return;
  if (!values.includes(positive)) {
    const held = [...others].slice(0, 5).map(shown);
    const message = `positive is ${shown(positive)}, and label ${label} holds ${held.join(", ")}${others.size > 5 ? ", …" : ""}.`;
    throw new ProbeError("bad_label", message, { label, positive });
  }
  throw new ProbeError(
    "bad_label",
    `Label ${label} holds ${others.size + 1} values, and a sweep compares two: choose rows with the option where.`,
    { label, classes: others.size + 1 },
  );
}

async function groupColumn(
  dataset: Pick<SweepDataset, "rows" | "columns" | "column">,
  asked: string | undefined,
  kept: readonly number[],
  notes: string[],
): Promise<{ name: string; column: ArrayLike<unknown> }> {
  if (asked !== undefined) return { name: asked, column: await columnOf(dataset, asked) };
  const examples = dataset.columns.includes("example") ? await columnOf(dataset, "example") : undefined;
  if (dataset.columns.includes("group")) {
    const groups = await columnOf(dataset, "group");
    if (!examples || kept.some((row) => groups[row] !== examples[row]))
      return { name: "group", column: groups };
  }
  if (!examples) {
    throw new ProbeError(
      "group_required",
      "The dataset has no column group or example: name the group column with the option group.",
    );
  }
  const distinct = new Set(kept.map((row) => examples[row])).size;
  if (distinct < kept.length) {
    throw new ProbeError(
      "group_required",
      `${kept.length} rows come from ${distinct} examples and no group is given: tokens of one prompt on both sides of the split ` +
        `would inflate the score. Give examples a group, or pass group: "example" if the examples are independent of each other.`,
      { rows: kept.length, examples: distinct },
    );
  }
  notes.push(
    "No group was given: every example is a group of its own, which is right only if examples are independent.",
  );
  return { name: "example", column: examples };
}

import { columnOf } from "../probes/checked-reads.ts";
import { classValues } from "../probes/label-values.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { chosenRows } from "../probes/row-choice.ts";
import { groupsOf, isKnown, type LabelValue, type SweepDataset } from "../probes/sweep-rows.ts";
import { classesInOrder } from "../probes/trained/training-labels.ts";
import { indexGroups } from "../statistics/group-folds.ts";
import type { CheckedProjectOptions } from "./project-options.ts";

/** More classes than this are told apart by no colour, and are most likely numbers. */
const mostClasses = 50;

/** The rows that a projection shows. Lists are of the kept rows. */
export interface ProjectedRows {
  /** Their row numbers in the dataset, ascending. */
  kept: Uint32Array;
  classes: LabelValue[];
  /** Place of each row's class. */
  classOf: Uint8Array;
  groupColumn: string;
  groupOf: Uint32Array;
  groups: number;
  groupNames: string[];
  examples: string[];
  /** Rows at the first token (BOS), where there are others too. */
  first: number[];
  notes: string[];
}

/** Throws ProbeError `bad_label`, `bad_group`, `no_rows`; of `lda` `group_required` for token rows without a group, and `one_class`. */
export async function projectedRows(
  dataset: SweepDataset,
  { label, group, method, where }: CheckedProjectOptions,
): Promise<ProjectedRows> {
  const given = await columnOf(dataset, label);
  const selected = await chosenRows(dataset, where);
  const kept = Uint32Array.from(selected.filter((row) => isKnown(given[row])));
  if (kept.length === 0) throw new ProbeError("no_rows", `There is no row with a value of ${label}.`);
  const notes: string[] = [];
  if (kept.length < selected.length)
    notes.push(`${selected.length - kept.length} rows without a value of ${label} were left out.`);
  const values = classValues(
    Array.from(kept, (row) => given[row]),
    label,
  );
  const classes = classesInOrder(values);
  refuseClasses(classes, label, method);
  const places = new Map(classes.map((value, k) => [value, k]));
  const grouped =
    method === "lda"
      ? await groupsOf(dataset, group, { kept, notes })
      : await anyGroups(dataset, group, kept);
  const groupValues = await columnOf(dataset, grouped.groupColumn);
  const examples = dataset.columns.includes("example") ? await columnOf(dataset, "example") : undefined;
  const positions = dataset.columns.includes("position") ? await columnOf(dataset, "position") : undefined;
  const first = [...kept.keys()].filter((i) => Number(positions?.[kept[i]!] ?? NaN) === 0);
  return {
    ...{ kept, classes, notes, ...grouped },
    first: first.length < kept.length ? first : [],
    classOf: Uint8Array.from(values, (value) => places.get(value)!),
    groupNames: Array.from(kept, (row) => String(groupValues[row])),
    examples: Array.from(kept, (row) => (examples ? String(examples[row]) : `row ${row}`)),
  };
}

/** Nothing is split, so that rows of one example without a group do no harm. */
async function anyGroups(dataset: SweepDataset, asked: string | undefined, kept: Uint32Array) {
  const name = asked ?? ["group", "example"].find((one) => dataset.columns.includes(one));
  if (name === undefined) {
    throw new ProbeError(
      "group_required",
      "The dataset has no column group or example: name the group column with the option group.",
    );
  }
  const column = await columnOf(dataset, name);
  const { index, count } = indexGroups(
    Array.from(kept, (row) => column[row]),
    (place) => kept[place]!,
  );
  return { groupOf: index, groups: count, groupColumn: name };
}

function refuseClasses(classes: readonly LabelValue[], label: string, method: "pca" | "lda"): void {
  if (classes.length > mostClasses) {
    throw new ProbeError(
      "bad_label",
      `Label ${label} holds ${classes.length} values, and a projection shows at most ${mostClasses} classes: choose rows with where, or a label of classes.`,
      { classes: classes.length },
    );
  }
  if (method === "lda" && classes.length < 2) {
    throw new ProbeError(
      "one_class",
      `Label ${label} has one value in all rows: LDA parts two classes or more.`,
      {
        label,
      },
    );
  }
}

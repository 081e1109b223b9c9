import { ProbeError } from "../probes/probe-error.ts";
import { createRandom } from "./random.ts";

/**
 * Each row's group as a number 0, 1, … in order of first appearance. `numberOf`: what a row is called, where these are chosen ones. Throws
 * ProbeError `bad_group` for null and NaN: rows without a group are not one group.
 */
export function indexGroups(
  values: ArrayLike<unknown>,
  numberOf: (place: number) => number = (place) => place,
): { index: Uint32Array; count: number } {
  const seen = new Map<unknown, number>();
  const index = new Uint32Array(values.length);
  for (let place = 0; place < values.length; place++) {
    const value = values[place];
    if (value === null || value === undefined || Number.isNaN(value)) {
      const row = numberOf(place);
      throw new ProbeError(
        "bad_group",
        `Row ${row} has no group: give every row one, or leave such rows out.`,
        { row },
      );
    }
    let group = seen.get(value);
    if (group === undefined) seen.set(value, (group = seen.size));
    index[place] = group;
  }
  return { index, count: seen.size };
}

/**
 * The fold of each row, `0 … folds − 1`: every group lies in exactly one fold, rows and classes as even over folds as whole
 * groups allow (large groups first, each to the fold that it unbalances least; `seed` settles equal ones).
 * Fails with `too_few_groups` when there are fewer groups than folds, and with `one_class` when a fold would lack a class.
 */
export function groupFolds(options: {
  groups: ArrayLike<unknown>;
  labels?: ArrayLike<number>;
  folds: number;
  seed: number;
}): Uint8Array {
  const { folds, labels, seed } = options;
  if (!Number.isInteger(folds) || folds < 2 || folds > 255) {
    throw new ProbeError("bad_option", `folds is ${folds}: give a whole number from 2 to 255.`, { folds });
  }
  // The group split: what is dealt to folds is a whole group, never a row.
  const units = indexGroups(options.groups);
  if (units.count < folds) {
    throw new ProbeError(
      "too_few_groups",
      `${folds} folds need at least ${folds} groups, and there are ${units.count}: lower folds or collect more groups.`,
      { folds, groups: units.count },
    );
  }
  const classes = labels ? indexGroups(labels) : { index: new Uint32Array(options.groups.length), count: 1 };
  const counts = countByUnit(units, classes);
  const foldOfUnit = dealUnits({ counts, classes: classes.count, folds, seed });
  const foldOfRow = Uint8Array.from(units.index, (unit) => foldOfUnit[unit]!);
  if (classes.count > 1) refuseOneClassFolds(foldOfRow, classes, folds);
  return foldOfRow;
}

type Indexed = ReturnType<typeof indexGroups>;

function countByUnit(units: Indexed, classes: Indexed): Uint32Array[] {
  const counts = Array.from({ length: units.count }, () => new Uint32Array(classes.count));
  units.index.forEach((unit, row) => (counts[unit]![classes.index[row]!]! += 1));
  return counts;
}

function dealUnits(options: {
  counts: Uint32Array[];
  classes: number;
  folds: number;
  seed: number;
}): Uint8Array {
  const { counts, classes, folds, seed } = options;
  const totals = Array.from({ length: classes }, (_, c) => counts.reduce((sum, unit) => sum + unit[c]!, 0));
  const size = (unit: number) => counts[unit]!.reduce((sum, n) => sum + n, 0);
  const order = createRandom(seed, "group folds").shuffle([...counts.keys()]);
  order.sort((a, b) => size(b) - size(a));
  const held = Array.from({ length: folds }, () => new Float64Array(classes));
  const units = new Uint32Array(folds);
  const foldOf = new Uint8Array(counts.length);
  for (const unit of order) {
    // Growth of the sum of squared class shares: smallest where the unit's classes are the scarcest.
    const cost = (fold: number) =>
      totals.reduce((sum, total, c) => {
        const share = counts[unit]![c]! / total;
        return sum + share * (2 * (held[fold]![c]! / total) + share);
      }, 0);
    let best = 0;
    for (let fold = 1; fold < folds; fold++) {
      const gain = cost(best) - cost(fold);
      if (gain > 1e-12 || (gain > -1e-12 && units[fold]! < units[best]!)) best = fold;
    }
    foldOf[unit] = best;
    units[best]! += 1;
    counts[unit]!.forEach((n, c) => (held[best]![c]! += n));
  }
  return foldOf;
}

function refuseOneClassFolds(foldOfRow: Uint8Array, classes: Indexed, folds: number): void {
  for (let fold = 0; fold < folds; fold++) {
    const present = new Set<number>();
    foldOfRow.forEach((f, row) => f === fold && present.add(classes.index[row]!));
    if (present.size === classes.count) continue;
    throw new ProbeError(
      "one_class",
      `Fold ${fold} of ${folds} holds ${present.size} of ${classes.count} classes, since groups stay whole: ` +
        `lower folds, or collect more groups of the rarer class.`,
      { fold, folds, classes: classes.count, present: present.size },
    );
  }
}

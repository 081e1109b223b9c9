import { shown } from "../../options/shown.ts";
import { ProbeError } from "../probe-error.ts";
import { trainingLabels, type TrainingLabels } from "./training-labels.ts";

/**
 * The labels of the rows that are there, those of weight above 0, with their weights (null: once each). Throws ProbeError as
 * `trainingLabels`; `bad_option` for weights that are none, `no_rows` and `one_class` where all rows, or all of a class, have weight 0.
 */
export function weighedLabels(
  given: ArrayLike<unknown>,
  weights: ArrayLike<number> | undefined,
  options: Parameters<typeof trainingLabels>[1],
): { labels: TrainingLabels; weights: Float64Array | null } {
  const all = trainingLabels(given, options);
  if (weights === undefined) return { labels: all, weights: null };
  refuseWeights(weights, all.kept);
  refuseWeightless(all, weights, options.name);
  const there = Array.from(given);
  for (const row of all.kept) if (weights[row] === 0) there[row] = null;
  const labels = trainingLabels(there, options);
  const own = Float64Array.from(labels.kept, (row) => weights[row]!);
  return { labels, weights: own.every((weight) => weight === 1) ? null : own };
}

function refuseWeights(weights: ArrayLike<number>, kept: Uint32Array): void {
  const row = kept.find(
    (row) => !(typeof weights[row] === "number" && weights[row] >= 0 && weights[row] < Infinity),
  );
  if (row === undefined) return;
  const message = `weights[${row}] is ${shown(weights[row])}: a row's weight is a finite number of at least 0.`;
  throw new ProbeError("bad_option", message, { row });
}

function refuseWeightless(
  { kept, targets, classes, task }: TrainingLabels,
  weights: ArrayLike<number>,
  name: string,
): void {
  if (kept.every((row) => weights[row] === 0)) {
    const message = `There is no row to train on: all ${kept.length} rows with a value of ${name} have weight 0.`;
    throw new ProbeError("no_rows", message, { rows: kept.length });
  }
  if (task === "number") return;
  const sums = new Array<number>(classes?.length ?? 2).fill(0);
  kept.forEach((row, i) => (sums[targets[i]!]! += weights[row]!));
  if (!sums.includes(0)) return;
  const each = classes
    ? classes.map((value, k) => `${shown(value)} ${sums[k]}`).join(", ")
    : `positive ${sums[1]}, negative ${sums[0]}`;
  const message = `A probe needs rows of every class, and the rows' weights sum to: ${each}. Rows of weight 0 are not there.`;
  throw new ProbeError("one_class", message, { weights: classes ? sums : [sums[1], sums[0]] });
}

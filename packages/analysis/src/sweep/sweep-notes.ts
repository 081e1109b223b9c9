import { bootstrapText, certainNote, fewGroupsNote } from "../statistics/intervals/cluster-bootstrap.ts";
import type { LayerSweep } from "../results/layer-sweep.ts";
import type { SweepRows } from "./sweep-target.ts";

/** How a sweep splits, pools and resamples, in words. */
export function splitText({ task, groupColumn }: SweepRows, folds: number): string {
  const balance = task === "number" ? "" : ", classes balanced as groups allow";
  const pooling =
    task === "number"
      ? "predictions of all folds are pooled"
      : "scores of different folds come from different probes and have no common scale, so AUROC counts pairs of rows of the same fold only";
  return (
    `${folds} outer folds of whole groups (column ${groupColumn})${balance}; layer, probe and C chosen for each ` +
    `on the other ${folds - 1} as inner folds; thresholds and calibration of a fold from the inner held-out scores of the other folds; ${pooling}; ` +
    `${bootstrapText}, probes as fitted; shuffled labels: the layer's chosen probe refitted at its C, middle ` +
    `95 % of shuffles; random directions: Gaussian in standardised features, sign from training rows, middle 95 % of directions`
  );
}

/** What should be known of a sweep's numbers. */
export function sweepNotes(
  { notes, groups }: Pick<SweepRows, "notes" | "groups">,
  { layers, chosen, score }: Pick<LayerSweep, "layers" | "chosen" | "score">,
  faults: readonly string[],
): string[] {
  const perfect =
    score !== "r2" &&
    (chosen.outerScore.value === 1 ||
      layers.some(({ probes }) => probes.some((one) => one.score.value === 1)));
  return [...notes, ...fewGroupsNote(groups), ...(perfect ? [certainNote] : []), ...faults];
}

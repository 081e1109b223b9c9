import { calibrateRow, type FoldCalibration } from "./fold-calibration.ts";
import { bestAt, type SweepCandidate } from "./sweep-candidates.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import type { SweepTarget } from "./sweep-target.ts";

/** Every row's scores from probes that did not see its fold, and what their training rows said of such scores. */
export interface HeldOut {
  /** `[rows, columns]` */
  scores: Float64Array;
  /** One an outer fold; null where its training rows tell nothing of scores (numbers, a class without rows). */
  calibrations: (FoldCalibration | null)[];
}

/** What an outer fold's inner folds chose. */
export interface FoldChoice {
  C?: number;
  /** Inner-fold score that made the choice. */
  inner: number;
}

/** For each fold the scores and calibration of the part that is named there. */
export function composeHeldOut(
  { foldOf }: Pick<SweepPlan, "foldOf">,
  { columns }: Pick<SweepTarget, "columns">,
  parts: readonly HeldOut[],
): HeldOut {
  const scores = new Float64Array(foldOf.length * columns);
  for (let row = 0; row < foldOf.length; row++) {
    const from = parts[foldOf[row]!]!.scores;
    for (let c = 0; c < columns; c++) scores[row * columns + c] = from[row * columns + c]!;
  }
  return { scores, calibrations: parts.map(({ calibrations }, fold) => calibrations[fold]!) };
}

/** `[rows, columns]`: probabilities by the calibration of each row's fold; null where a fold has none. */
export function probabilitiesOf(
  { scores, calibrations }: HeldOut,
  { foldOf }: Pick<SweepPlan, "foldOf">,
  { columns }: Pick<SweepTarget, "columns">,
): Float64Array | null {
  const found = calibrations.filter((calibration) => calibration !== null);
  if (found.length < calibrations.length) return null;
  const probabilities = new Float64Array(scores.length);
  for (let row = 0; row < foldOf.length; row++)
    calibrateRow(found[foldOf[row]!]!, scores, probabilities, row * columns);
  return probabilities;
}

/** The candidates' choice at each fold; undefined where no candidate has an inner score. */
export function chooseEachFold(
  candidates: readonly SweepCandidate[],
  plan: SweepPlan,
): SweepCandidate[] | undefined {
  const choices = plan.outer.map((_, i) => bestAt(candidates, i));
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

import { ProbeError } from "../probes/probe-error.ts";

/** An area under the ROC curve, or the reason why there is none. */
export type Auroc = { value: number; positives: number; negatives: number } | { value: null; reason: string };

/**
 * The share of (positive, negative) pairs that the scores put in the right order, ties counting half: exact, whatever
 * the order of the rows; all-equal scores give exactly 0.5. Undefined (with its reason) when a class has no row.
 */
export function auroc(scores: ArrayLike<number>, labels: ArrayLike<number | boolean>): Auroc {
  if (scores.length !== labels.length) {
    throw new ProbeError(
      "bad_option",
      `auroc was given ${scores.length} scores and ${labels.length} labels: give one label a score.`,
    );
  }
  const ranked = rankScores({ scores, labels });
  let positives = 0;
  for (let row = 0; row < labels.length; row++) positives += labels[row] ? 1 : 0;
  const negatives = labels.length - positives;
  const value = ranked.auroc();
  if (value !== null) return { value, positives, negatives };
  return { value: null, reason: oneClassReason(positives, negatives) };
}

export function oneClassReason(positives: number, negatives: number): string {
  return `AUROC needs rows of both classes: there are ${positives} positive and ${negatives} negative`;
}

/** Scores sorted once, so that each weighting of the rows costs one walk. */
export interface RankedScores {
  /** With `weights`, row r counts `weights[unit[r]]` times. Null when no pair of classes is left. */
  auroc(weights?: ArrayLike<number>): number | null;
}

/**
 * Only pairs of rows of one `stratum` are compared (folds scored by different probes have no common scale);
 * `unit` says which weight a row takes (its own number when left out).
 */
export function rankScores(options: {
  scores: ArrayLike<number>;
  labels: ArrayLike<number | boolean>;
  strata?: ArrayLike<number>;
  unit?: ArrayLike<number>;
}): RankedScores {
  const { scores, labels, strata, unit } = options;
  const order = Array.from({ length: scores.length }, (_, row) => row);
  for (const row of order) {
    if (!Number.isFinite(scores[row])) {
      throw new ProbeError(
        "not_finite",
        `The score of row ${row} is ${scores[row]}: AUROC needs finite scores.`,
        { row },
      );
    }
  }
  const stratumOf = (row: number) => (strata ? strata[row]! : 0);
  order.sort((a, b) => stratumOf(a) - stratumOf(b) || scores[a]! - scores[b]!);
  return {
    auroc(weights) {
      let ordered = 0;
      let pairs = 0;
      let at = 0;
      while (at < order.length) {
        const stratum = stratumOf(order[at]!);
        let positives = 0;
        let negatives = 0;
        while (at < order.length && stratumOf(order[at]!) === stratum) {
          const score = scores[order[at]!];
          let tiedPositives = 0;
          let tiedNegatives = 0;
          for (
            ;
            at < order.length && scores[order[at]!] === score && stratumOf(order[at]!) === stratum;
            at++
          ) {
            const row = order[at]!;
            const weight = weights ? weights[unit ? unit[row]! : row]! : 1;
            if (labels[row]) tiedPositives += weight;
            else tiedNegatives += weight;
          }
          ordered += tiedPositives * (negatives + tiedNegatives / 2);
          positives += tiedPositives;
          negatives += tiedNegatives;
        }
        pairs += positives * negatives;
      }
      return pairs > 0 ? ordered / pairs : null;
    },
  };
}

import { rankScores } from "../statistics/auroc.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probes/probe.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import type { SweepPlan } from "./sweep-plan.ts";

/** One probe with one C at one layer: how well it did on the inner folds of each outer fold, and its scores outside. */
export interface SweepCandidate {
  layer: number;
  probe: Probe;
  C?: number;
  converged: boolean;
  /** `inner[i]`: AUROC on the inner folds of outer fold i; null when undefined or not converged. */
  inner: (number | null)[];
  /** Held-out score of each row, from the probe fitted without the row's fold. */
  scores: Float64Array;
  /** In words, fits that did not converge. */
  faults: string[];
}

/** Fits all probes of a layer on all inner and outer training sets, as columns of shared products. */
export async function sweepCandidates(
  matrix: ProbeMatrix,
  options: { layer: number; labels: Uint8Array; plan: SweepPlan; probes: readonly Probe[] },
): Promise<SweepCandidate[]> {
  const { layer, labels, plan, probes } = options;
  const columns: ProbeColumn[] = [
    ...plan.outer.map((training) => ({ training, labels })),
    ...plan.pairs.map(({ rows }) => ({ training: rows, labels })),
  ];
  const candidates: SweepCandidate[] = [];
  for (const probe of probes) {
    for (const fits of await probe.fit(matrix, columns)) {
      const outer = fits.slice(0, plan.folds);
      const pairs = fits.slice(plan.folds);
      const faults = fits.filter((fit) => !fit.converged).map((fit) => faultText(probe, layer, fit));
      const C = fits[0]!.C;
      candidates.push({
        layer,
        probe,
        ...(C === undefined ? {} : { C }),
        converged: faults.length === 0,
        inner: plan.outer.map((_, i) => (faults.length > 0 ? null : innerAuroc(plan, pairs, labels, i))),
        scores: Float64Array.from(plan.foldOf, (fold, row) => outer[fold]!.scores[row]!),
        faults,
      });
    }
  }
  return candidates;
}

/** Pairs of rows of one inner fold j, scored by the probe that saw neither j nor the outer fold. */
function innerAuroc(
  plan: SweepPlan,
  pairs: readonly ProbeFit[],
  labels: Uint8Array,
  outer: number,
): number | null {
  const fitOf = new Map<number, ProbeFit>();
  plan.pairs.forEach(({ i, j }, k) => {
    if (i === outer) fitOf.set(j, pairs[k]!);
    if (j === outer) fitOf.set(i, pairs[k]!);
  });
  const rows = [...labels.keys()].filter((row) => plan.foldOf[row] !== outer);
  return rankScores({
    scores: rows.map((row) => fitOf.get(plan.foldOf[row]!)!.scores[row]!),
    labels: rows.map((row) => labels[row]!),
    strata: rows.map((row) => plan.foldOf[row]!),
  }).auroc();
}

function faultText(probe: Probe, layer: number, fit: ProbeFit): string {
  return (
    `Layer ${layer}, ${probe.name} at C = ${fit.C}: a fit did not converge (gradient norm ` +
    `${fit.gradientNorm.toExponential(2)} after ${fit.iterations} Newton steps); it is left out of every choice.`
  );
}

/** The candidate with the best inner score at outer fold i; on a tie the first (probes as listed, small C, low layer). */
export function bestAt(candidates: readonly SweepCandidate[], i: number): SweepCandidate | undefined {
  let best: SweepCandidate | undefined;
  for (const candidate of candidates) {
    const score = candidate.inner[i];
    if (score === null || score === undefined) continue;
    if (!best || score > best.inner[i]!) best = candidate;
  }
  return best;
}

/** Mean inner score over outer folds; null unless defined in each. */
export function meanInner(candidate: SweepCandidate): number | null {
  let sum = 0;
  for (const score of candidate.inner) {
    if (score === null) return null;
    sum += score;
  }
  return sum / candidate.inner.length;
}

/** The candidate with the best mean inner score. */
export function bestOverall(candidates: readonly SweepCandidate[]): SweepCandidate | undefined {
  let best: { candidate: SweepCandidate; score: number } | undefined;
  for (const candidate of candidates) {
    const score = meanInner(candidate);
    if (score !== null && (!best || score > best.score)) best = { candidate, score };
  }
  return best?.candidate;
}

import type { Probe, ProbeColumn, ProbeFit, TrainingRows } from "../probes/probe.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import { columnLabels, scoreMetric, type SweepTarget } from "./sweep-target.ts";

/** One probe with one C at one layer: how well it did on the inner folds of each outer fold, and its scores outside. */
export interface SweepCandidate {
  probe: Probe;
  C?: number;
  converged: boolean;
  /** `inner[i]`: score on the inner folds of outer fold i; null when undefined or not converged. */
  inner: (number | null)[];
  /** `[rows, columns]`: held-out scores of each row, from the probe fitted without the row's fold. */
  scores: Float64Array;
  /** Scores of the rows outside fold i (but those that the plan is without), each from the probe that saw neither the row's fold nor fold i. */
  innerScores(i: number): InnerScores;
  /** In words, fits that did not converge. */
  faults: string[];
}

export interface InnerScores {
  rows: Uint32Array;
  /** `[rows, columns]` */
  scores: Float64Array;
}

/** Fits all probes of a layer on all inner and outer training sets, as columns of shared products. */
export async function sweepCandidates(
  matrix: ProbeMatrix,
  options: { name: string; target: SweepTarget; plan: SweepPlan; probes: readonly Probe[] },
): Promise<SweepCandidate[]> {
  const { name, target, plan, probes } = options;
  const sets = [...plan.outer, ...plan.pairs.map(({ rows }) => rows)];
  const columns = fitColumns(target, target.labels, sets);
  const candidates: SweepCandidate[] = [];
  for (const probe of probes) {
    for (const fits of await probe.fit(matrix, columns)) {
      const faults = fits.filter((fit) => !fit.converged).map((fit) => faultText(probe, name, fit));
      const C = fits[0]!.C;
      const fitOf = (column: number, set: number): ProbeFit => fits[column * sets.length + set]!;
      const innerScores = (i: number) => scoresOutside(plan, target.columns, fitOf, i);
      candidates.push({
        probe,
        ...(C === undefined ? {} : { C }),
        converged: faults.length === 0,
        inner: plan.outer.map((_, i) =>
          faults.length > 0 ? null : innerScore(target, plan, innerScores(i)),
        ),
        scores: heldOutScores(plan, target.columns, fitOf),
        innerScores,
        faults,
      });
    }
  }
  return candidates;
}

/** One column for each score column and training set, in this order. */
export function fitColumns(
  target: Pick<SweepTarget, "task" | "columns">,
  labels: Float64Array,
  sets: readonly TrainingRows[],
): ProbeColumn[] {
  return columnLabels(target, labels).flatMap((own) => sets.map((training) => ({ training, labels: own })));
}

/** `[rows, columns]`: each row scored by the fit (of its score column) that did not see its fold. */
export function heldOutScores(
  { foldOf }: Pick<SweepPlan, "foldOf">,
  columns: number,
  fitOf: (column: number, fold: number) => ProbeFit,
): Float64Array {
  const scores = new Float64Array(foldOf.length * columns);
  for (let c = 0; c < columns; c++) {
    const fits = Array.from({ length: Math.max(...foldOf) + 1 }, (_, fold) => fitOf(c, fold).scores);
    for (let row = 0; row < foldOf.length; row++) scores[row * columns + c] = fits[foldOf[row]!]![row]!;
  }
  return scores;
}

function scoresOutside(
  plan: SweepPlan,
  columns: number,
  fitOf: (column: number, set: number) => ProbeFit,
  outer: number,
): InnerScores {
  const { foldOf, folds, pairs, without } = plan;
  const setOf = new Uint32Array(folds);
  pairs.forEach(({ i, j }, k) => {
    if (i === outer) setOf[j] = folds + k;
    if (j === outer) setOf[i] = folds + k;
  });
  const rows = Uint32Array.from(foldOf.keys()).filter((row) => foldOf[row] !== outer && !without?.[row]);
  const scores = new Float64Array(rows.length * columns);
  for (let c = 0; c < columns; c++) {
    const fits = Array.from(setOf, (set) => fitOf(c, set).scores);
    for (let r = 0; r < rows.length; r++) scores[r * columns + c] = fits[foldOf[rows[r]!]!]![rows[r]!]!;
  }
  return { rows, scores };
}

function innerScore(
  target: SweepTarget,
  { foldOf }: SweepPlan,
  { rows, scores }: InnerScores,
): number | null {
  const labels = Float64Array.from(rows, (row) => target.labels[row]!);
  const strata = Uint8Array.from(rows, (row) => foldOf[row]!);
  return scoreMetric(target).prepare({ scores, labels, strata }).value();
}

function faultText(probe: Probe, name: string, fit: ProbeFit): string {
  return (
    `${name}, ${probe.name} at C = ${fit.C}: a fit did not converge (gradient norm ` +
    `${fit.gradientNorm.toExponential(2)} after ${fit.iterations} steps); it is left out of every choice.`
  );
}

/** The candidate with the best inner score at outer fold i; on a tie the first (probes as listed, small C). */
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
export function meanInner(candidate: Pick<SweepCandidate, "inner">): number | null {
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

import { rankScores } from "../statistics/auroc.ts";
import { randomDirections, summary } from "../controls/random-directions.ts";
import { shuffleLabels } from "../statistics/permutation/shuffle-labels.ts";
import type { Probe, ProbeColumn } from "../probes/probe.ts";
import { probeMatrix } from "../probes/probe-matrix.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { createRandom } from "../statistics/random.ts";
import type { Estimate } from "../results/estimate.ts";
import type { SweptLayer } from "../results/layer-sweep.ts";
import { bestAt, bestOverall, sweepCandidates } from "./sweep-candidates.ts";
import type { SweepCandidate } from "./sweep-candidates.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import type { ScoredRows } from "../probes/sweep-rows.ts";
import { foldedAccuracy, foldedAuroc } from "./sweep-score.ts";

export interface SweepSettings {
  probes: readonly Probe[];
  seed: number;
  draws: number;
  shuffles: number;
  randomDirections: number;
}

/** One layer of a sweep: its own cross-validated curve points, its controls, and its candidates for the choice. */
export async function sweepLayer(
  values: Float32Array,
  options: { layer: number; width: number; rows: ScoredRows; plan: SweepPlan; settings: SweepSettings },
): Promise<{ swept: SweptLayer; candidates: SweepCandidate[] }> {
  const { layer, rows, plan, settings } = options;
  const matrix = probeMatrix(values, options.width);
  try {
    const candidates = await sweepCandidates(matrix, {
      layer,
      labels: rows.labels,
      plan,
      probes: settings.probes,
    });
    const probes = settings.probes.map((probe) =>
      curvePoint(
        probe,
        candidates.filter((candidate) => candidate.probe === probe),
        rows,
        plan,
        settings,
      ),
    );
    const { seed } = settings;
    const best = bestOverall(candidates);
    const controls = {
      shuffledLabels: best
        ? await shuffledLabels(matrix, { best, rows, plan, count: settings.shuffles, seed })
        : summary([], "no probe converged at this layer"),
      randomDirection: await randomDirections(matrix, {
        labels: rows.labels,
        plan,
        count: settings.randomDirections,
        seed,
        layer,
      }),
    };
    return { swept: { layer, probes, controls }, candidates };
  } finally {
    matrix.dispose();
  }
}

/** A probe's held-out score at this layer; for each outer fold with the C that its inner folds chose. */
function curvePoint(
  probe: Probe,
  candidates: readonly SweepCandidate[],
  rows: ScoredRows,
  plan: SweepPlan,
  settings: SweepSettings,
): SweptLayer["probes"][number] {
  const converged = candidates.every((candidate) => candidate.converged);
  const choices = plan.outer.map((_, i) => bestAt(candidates, i));
  const chosen = choices.filter((choice) => choice !== undefined);
  if (chosen.length < choices.length) {
    const reason =
      candidates.flatMap((candidate) => candidate.faults)[0] ?? "no inner fold holds both classes";
    return { probe: probe.name, auroc: { value: null, low: null, high: null, reason }, converged };
  }
  const scores = Float64Array.from(plan.foldOf, (fold, row) => chosen[fold]!.scores[row]!);
  const { draws, seed } = settings;
  const perFoldC = chosen.map((choice) => choice.C).filter((C) => C !== undefined);
  return {
    probe: probe.name,
    ...(perFoldC.length > 0 ? { C: mostFrequent(perFoldC), perFoldC } : {}),
    auroc: foldedAuroc(rows, { scores, foldOf: plan.foldOf, draws, seed }),
    accuracy: foldedAccuracy(rows, { scores, draws, seed }),
    converged,
  };
}

function mostFrequent(values: readonly number[]): number {
  const count = (value: number) => values.filter((other) => other === value).length;
  return [...values].sort((a, b) => count(b) - count(a) || a - b)[0]!;
}

/** The layer's chosen probe on labels that say nothing: fitted and scored outside as the real one, at the same C. */
async function shuffledLabels(
  matrix: ProbeMatrix,
  options: { best: SweepCandidate; rows: ScoredRows; plan: SweepPlan; count: number; seed: number },
): Promise<Estimate> {
  const { best, rows, plan, count } = options;
  const random = createRandom(options.seed, "shuffled labels");
  const shuffles = Array.from({ length: count }, () => shuffleLabels({ ...rows, random }));
  const usable = shuffles.map((labels) => plan.outer.every(({ included }) => hasBoth(labels, included)));
  const columns = shuffles.flatMap((labels, s): ProbeColumn[] =>
    usable[s] ? plan.outer.map((training) => ({ training, labels })) : [],
  );
  if (columns.length === 0)
    return summary(
      usable.map(() => null),
      "every shuffle left a training set of one class",
    );
  const fits = (await best.probe.fitAt(matrix, columns, best.C)).values();
  const values = shuffles.map((labels, s) => {
    if (!usable[s]) return null;
    const outer = plan.outer.map(() => fits.next().value!);
    if (!outer.every((fit) => fit.converged)) return null;
    const scores = Float64Array.from(plan.foldOf, (fold, row) => outer[fold]!.scores[row]!);
    return rankScores({ scores, labels, strata: plan.foldOf }).auroc();
  });
  return summary(values, "no shuffle could be fitted");
}

function hasBoth(labels: Uint8Array, included: Uint8Array): boolean {
  let positives = 0;
  let n = 0;
  included.forEach((inside, row) => {
    n += inside;
    positives += inside * labels[row]!;
  });
  return positives > 0 && positives < n;
}

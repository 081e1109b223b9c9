import type { Probe } from "../probes/probe.ts";
import type { Estimate } from "../results/estimate.ts";
import type { SweepControls, SweepRival, TokenFilterScores } from "../results/layer-sweep.ts";
import { estimateMetric } from "../statistics/metrics/estimate-metric.ts";
import type { PreparedMetric } from "../statistics/metrics/metric.ts";
import { bagProbes, lengthProbe } from "../sweep/default-probes.ts";
import type { HeldOutFit } from "../sweep/fit-held-out.ts";
import { metricRows, type DrawSettings } from "../sweep/held-out-metrics.ts";
import { pairedGain } from "../sweep/paired-gain.ts";
import type { SweepCompute } from "../sweep/sweep-compute.ts";
import { sweepLanes } from "../sweep/sweep-lanes.ts";
import type { SweepLeader } from "../sweep/sweep-leaders.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";
import { scoreMetric, type SweepTarget } from "../sweep/sweep-target.ts";
import { bagFeatures, lengthFeatures, randomFeatures, type ControlFeatures } from "./control-features.ts";
import { absent, drawSummary } from "./draw-summary.ts";
import type { RowTokens } from "./read-tokens.ts";

/** Draws of random features. */
const featureDraws = 3;

/** What stands against the chosen score. */
export interface RivalWork {
  target: SweepTarget;
  plan: SweepPlan;
  settings: DrawSettings;
  tokens: RowTokens;
  hiddenSize: number;
  /** The probe that all inner folds together chose. */
  best: SweepLeader;
  /** `[rows, columns]`: held-out scores of the whole procedure. */
  scores: Float64Array;
  /** The best probe of the lowest layer; its number, or why there is none. */
  floor: { layer: number; scores: Float64Array } | { reason: string };
  /** 1 for rows that the token filter leaves out. */
  filtered: { without: Uint8Array; how: string } | undefined;
  signal: AbortSignal | undefined;
}

/** Fits every control of a sweep in its folds, and compares each with the chosen score. */
export async function sweepRivals(
  compute: SweepCompute,
  work: RivalWork,
): Promise<{ controls: SweepControls; tokenFilter?: TokenFilterScores }> {
  const { target, tokens, hiddenSize, best, settings, filtered } = work;
  const rows = target.labels.length;
  const { C } = best.best;
  const fixed = { probes: [best.probe], fixed: { C } };
  const length = lengthFeatures(tokens);
  const bag = bagFeatures(tokens);
  const fits = new Map<string, HeldOutFit>();
  const jobs: [string, (signal: AbortSignal) => Promise<HeldOutFit>][] = [
    [
      "length",
      (signal) =>
        fitFeatures(compute, "Prompt length", length, { probes: () => [lengthProbe(target.task)], signal }),
    ],
    [
      "bag",
      (signal) =>
        fitFeatures(compute, "Bag of tokens", bag, {
          probes: (width) => bagProbes(target.task, width),
          signal,
        }),
    ],
  ];
  for (let draw = 0; draw < featureDraws; draw++) {
    const values = () => Promise.resolve(randomFeatures(rows, hiddenSize, settings.seed, draw));
    const held = { name: "Random features", width: hiddenSize, ...fixed };
    jobs.push([`random ${draw}`, (signal) => compute.fit(held, values, signal)]);
  }
  if (filtered) {
    const held = { name: "Token filter", width: hiddenSize, ...fixed };
    const values = () => compute.rowsOf(best.layer);
    jobs.push(["with", (signal) => compute.fit(held, values, signal)]);
    if (filterFault(work) === undefined)
      jobs.push(["without", (signal) => compute.fit({ ...held, without: filtered.without }, values, signal)]);
  }
  const { lanes } = compute;
  await sweepLanes(jobs, { lanes, signal: work.signal }, async ([name, fit], signal) => {
    fits.set(name, await fit(signal));
  });
  const random = Array.from({ length: featureDraws }, (_, draw) => fits.get(`random ${draw}`)!);
  const controls: SweepControls = {
    promptLength: rival(work, fits.get("length")!, how(length)),
    bagOfTokens: rival(work, fits.get("bag")!, how(bag)),
    floor: floorRival(work),
    randomFeatures: randomRival(work, random),
  };
  return filtered ? { controls, tokenFilter: filterScores(work, fits) } : { controls };
}

async function fitFeatures(
  compute: SweepCompute,
  name: string,
  features: ControlFeatures,
  { probes, signal }: { probes: (width: number) => readonly Probe[]; signal: AbortSignal },
): Promise<HeldOutFit> {
  if ("reason" in features) return features;
  const { values, width } = features;
  return await compute.fit({ name, width, probes: probes(width) }, () => Promise.resolve(values), signal);
}

function how(features: ControlFeatures): string {
  return "reason" in features ? "not fitted" : features.how;
}

/** Scores of other probes on the same rows. */
function prepared({ target, plan }: RivalWork, scores: Float64Array): PreparedMetric {
  return scoreMetric(target).prepare({
    scores,
    labels: target.labels,
    strata: plan.foldOf,
    unit: target.groupOf,
  });
}

function gainOver(work: RivalWork, rivals: readonly PreparedMetric[]): Estimate {
  const { target, settings } = work;
  const sizes = { n: target.labels.length, groups: target.groups };
  return pairedGain(prepared(work, work.scores), rivals, { ...sizes, settings });
}

function estimateOf({ target, plan, settings }: RivalWork, scores: Float64Array): Estimate {
  const { draws, seed } = settings;
  return estimateMetric(scoreMetric(target), metricRows(scores, target, plan), { draws, seed });
}

function rival(work: RivalWork, fit: HeldOutFit, words: string): SweepRival {
  if ("reason" in fit) return { score: absent(fit.reason), gain: absent(fit.reason), how: words };
  return {
    score: estimateOf(work, fit.scores),
    gain: gainOver(work, [prepared(work, fit.scores)]),
    how: words,
  };
}

function floorRival(work: RivalWork): SweepControls["floor"] {
  const { floor } = work;
  if ("reason" in floor) return { layer: null, ...rival(work, floor, "not fitted") };
  const words = floor.layer === -1 ? "token embeddings (layer −1)" : "output of the first block (layer 0)";
  return { layer: floor.layer, ...rival(work, floor, words) };
}

function randomRival(work: RivalWork, fits: readonly HeldOutFit[]): SweepRival {
  const usable = fits.flatMap((fit) => ("scores" in fit ? [prepared(work, fit.scores)] : []));
  const reason = fits.flatMap((fit) => ("reason" in fit ? [fit.reason] : []))[0] ?? "no draw was fitted";
  return {
    score: drawSummary(
      usable.map((one) => one.value()),
      reason,
    ),
    gain: usable.length > 0 ? gainOver(work, usable) : absent(reason),
    how: `${featureDraws} draws of ${work.hiddenSize} Gaussian numbers a row, the chosen probe at its C`,
  };
}

/** Why there is no score without the rows, if there is none. */
function filterFault({ target, plan, filtered }: RivalWork): string | undefined {
  const { without } = filtered!;
  const left = [...without.keys()].filter((row) => !without[row]);
  if (left.length === 0) return "the token filter leaves no row";
  if (left.length === without.length) return "the token filter leaves out no row";
  for (let fold = 0; fold < plan.folds; fold++) {
    const training = new Set(
      left.filter((row) => plan.foldOf[row] !== fold).map((row) => target.labels[row]),
    );
    const classes = target.task === "classes" ? target.columns : 2;
    if (training.size < classes) return `without those rows the training rows of fold ${fold} lack a class`;
  }
  return undefined;
}

function filterScores(work: RivalWork, fits: ReadonlyMap<string, HeldOutFit>): TokenFilterScores {
  const { target, plan, settings } = work;
  const { without, how: words } = work.filtered!;
  const left = [...without.keys()].filter((row) => !without[row]);
  const all = fits.get("with")!;
  const some = fits.get("without") ?? { reason: filterFault(work)! };
  const { columns } = target;
  const scored = (fit: HeldOutFit, rows: readonly number[]): Estimate => {
    if ("reason" in fit) return absent(fit.reason);
    const scores = new Float64Array(rows.length * columns);
    rows.forEach((row, i) => {
      for (let c = 0; c < columns; c++) scores[i * columns + c] = fit.scores[row * columns + c]!;
    });
    const own = {
      scores,
      labels: Float64Array.from(rows, (row) => target.labels[row]!),
      strata: Uint8Array.from(rows, (row) => plan.foldOf[row]!),
      groups: Uint32Array.from(rows, (row) => target.groupOf[row]!),
    };
    return estimateMetric(scoreMetric(target), own, { draws: settings.draws, seed: settings.seed });
  };
  return {
    leftOut: without.length - left.length,
    n: left.length,
    groups: new Set(left.map((row) => target.groupOf[row])).size,
    with: scored(all, [...without.keys()]),
    without: scored(some, left),
    how: words,
  };
}

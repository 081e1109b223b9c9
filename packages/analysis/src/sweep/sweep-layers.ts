import { fewGroups } from "../statistics/bootstrap.ts";
import { differenceOfMeans } from "../probes/difference-of-means.ts";
import { onBackend } from "../backend/use-backend.ts";
import { logistic } from "../probes/logistic.ts";
import type { Probe } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { randomName } from "../statistics/random.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { LayerChoice, LayerSweep, SweptLayer } from "../results/layer-sweep.ts";
import { meanInner } from "./sweep-candidates.ts";
import type { SweepCandidate } from "./sweep-candidates.ts";
import { sweepLanes } from "./sweep-lanes.ts";
import { sweepLeaders } from "./sweep-leaders.ts";
import { withSweepCompute } from "./sweep-compute.ts";
import type { SweepWork } from "./sweep-compute.ts";
import { sweepPlan } from "./sweep-plan.ts";
import { sweepRows } from "../probes/sweep-rows.ts";
import type { LabelValue, SweepDataset, SweepRows } from "../probes/sweep-rows.ts";
import { foldedAuroc, poolingText } from "./sweep-score.ts";

export interface SweepOptions {
  /** The label column: boolean, 0/1, or two values with `positive` naming one. Rows without a value are left out. */
  label: string;
  positive?: LabelValue;
  /** The column whose values must not lie on both sides of a split. Default: `group`, else `example` (one row each). */
  group?: string;
  /** Default: all of the dataset. */
  layers?: readonly number[];
  /** Default: difference of means, and logistic regression at C = 1e-4, 1e-3, … 1e2. */
  probes?: readonly Probe[];
  /** Outer folds (default 5, at least 3); the inner folds of each are the other ones. */
  folds?: number;
  seed?: number;
  /** Bootstrap draws of an interval (default 1000). */
  draws?: number;
  /** Label shuffles of the control (default 20). */
  shuffles?: number;
  /** Random directions of the control (default 100). */
  randomDirections?: number;
  /** Rows to use, by row number. */
  where?: (row: number) => boolean;
  /**
   * Worker threads, each with a layer of its own in hand; 0 computes in this thread, which then does nothing else. Default: as
   * many as the machine has cores, and 0 for small sweeps, on WebGPU and for probes of your own. The numbers are the same.
   */
  workers?: number;
  signal?: AbortSignal;
  /** After each layer, in the order in which they end. */
  onProgress?: (progress: { layer: number; done: number; total: number }) => void;
}

/**
 * Probes every layer by nested cross-validation over groups. Layer, probe and C are chosen on inner folds; `chosen.outerAuroc` is the
 * score of that whole procedure on rows outside it. Each layer's own held-out curve and controls stand apart.
 * Fails with ProbeError on labels or groups that allow no honest split.
 */
export function sweepLayers(dataset: SweepDataset, options: SweepOptions): Promise<LayerSweep> {
  return onBackend(() => sweep(dataset, options));
}

async function sweep(dataset: SweepDataset, options: SweepOptions): Promise<LayerSweep> {
  const { folds = 5, seed = 0, draws = 1000, shuffles = 20 } = options;
  const probes = options.probes ?? [
    differenceOfMeans(),
    logistic({ C: [1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2] }),
  ];
  const settings = { probes, seed, draws, shuffles, randomDirections: options.randomDirections ?? 100 };
  const layers = checkedLayers(dataset, options.layers ?? dataset.layers);
  const rows = await sweepRows(dataset, options);
  const plan = sweepPlan({ ...rows, folds, seed });
  const { swept, choices, best, faults } = await visitLayers(
    dataset,
    { layers, rows, plan, settings },
    options,
  );
  return {
    schemaVersion: resultSchemaVersion,
    kind: "layer-sweep",
    label: options.label,
    positive: rows.positive,
    group: rows.groupColumn,
    split: splitText(rows, folds),
    folds,
    seed,
    random: randomName,
    draws,
    shuffles,
    randomDirections: settings.randomDirections,
    n: rows.labels.length,
    positives: rows.positives,
    groups: rows.groups,
    layers: swept,
    chosen: {
      ...choiceOf(best),
      chosenBy: "inner folds",
      innerAuroc: meanInner(best)!,
      outerAuroc: foldedAuroc(rows, {
        scores: Float64Array.from(plan.foldOf, (fold, row) => choices[fold]!.scores[row]!),
        foldOf: plan.foldOf,
        draws,
        seed,
      }),
      perFoldChoices: choices.map((choice, i) => ({ ...choiceOf(choice), innerAuroc: choice.inner[i]! })),
    },
    notes: [...rows.notes, ...fewGroupsNote(rows.groups), ...perfectNote(swept), ...faults],
  };
}

async function visitLayers(
  dataset: SweepDataset,
  work: SweepWork,
  { workers, signal, onProgress }: Pick<SweepOptions, "workers" | "signal" | "onProgress">,
) {
  const { layers, plan } = work;
  const swept: SweptLayer[] = [];
  const faults: string[][] = [];
  const leaders = sweepLeaders(layers, plan.folds);
  let done = 0;
  await withSweepCompute(dataset, { work, workers }, (sweepOne, lanes) =>
    sweepLanes(layers, { lanes, signal }, async (layer, stopped) => {
      const one = await sweepOne(layer, stopped);
      const place = layers.indexOf(layer);
      swept[place] = one.swept;
      faults[place] = one.candidates.flatMap((candidate) => candidate.faults);
      leaders.add(one.candidates);
      onProgress?.({ layer, done: ++done, total: layers.length });
    }),
  );
  const { choices, best } = leaders;
  if (!best || choices.length < plan.folds) {
    throw new ProbeError(
      "not_converged",
      `No probe converged at any layer. ${faults.flat()[0] ?? ""}`.trim(),
      {
        faults: faults.flat(),
      },
    );
  }
  return { swept, choices, best, faults: faults.flat() };
}

function checkedLayers(dataset: SweepDataset, layers: readonly number[]): readonly number[] {
  const absent = layers.filter((layer) => !dataset.layers.includes(layer));
  if (layers.length > 0 && absent.length === 0) return [...new Set(layers)];
  throw new ProbeError(
    "bad_option",
    `layers asks for ${absent.join(", ") || "none"}, and the dataset holds ${dataset.layers.join(", ")}.`,
    { layers, held: dataset.layers },
  );
}

function choiceOf({ layer, probe, C }: SweepCandidate): LayerChoice {
  return { layer, probe: probe.name, ...(C === undefined ? {} : { C }) };
}

function splitText(rows: SweepRows, folds: number): string {
  return (
    `${folds} outer folds of whole groups (column ${rows.groupColumn}), classes balanced as groups allow; layer, probe and C chosen for each ` +
    `on the other ${folds - 1} as inner folds; ${poolingText}; intervals: 95 % percentile, whole groups redrawn, probes as fitted; ` +
    `shuffled labels: the layer's chosen probe refitted, middle 95 % of shuffles; random directions: Gaussian in standardised features, ` +
    `sign from training rows, middle 95 % of directions`
  );
}

function fewGroupsNote(groups: number): string[] {
  return groups < fewGroups
    ? [`Only ${groups} groups: intervals that redraw groups are too narrow below about ${fewGroups}.`]
    : [];
}

function perfectNote(layers: readonly SweptLayer[]): string[] {
  const perfect = layers.some(({ probes }) => probes.some(({ auroc }) => auroc.value === 1));
  return perfect
    ? [
        "An AUROC of exactly 1 has the bootstrap interval [1, 1]: redrawing rows without an error shows none; it is no certainty.",
      ]
    : [];
}

import { fewGroups } from "../statistics/bootstrap.ts";
import { differenceOfMeans } from "./difference-of-means.ts";
import { ensureBackend } from "../backend/ensure-backend.ts";
import { logistic } from "./logistic.ts";
import type { Probe } from "./probe.ts";
import { ProbeError } from "./probe-error.ts";
import { randomName } from "../statistics/random.ts";
import { resultSchemaVersion } from "../result-schema.ts";
import type { LayerChoice, LayerSweep, SweptLayer } from "../result-schema.ts";
import { bestAt, bestOverall, meanInner } from "./sweep-candidates.ts";
import type { SweepCandidate } from "./sweep-candidates.ts";
import { sweepLayer } from "./sweep-layer.ts";
import type { SweepSettings } from "./sweep-layer.ts";
import { sweepPlan } from "./sweep-plan.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import { sweepRows } from "./sweep-rows.ts";
import type { LabelValue, SweepDataset, SweepRows } from "./sweep-rows.ts";
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
  signal?: AbortSignal;
  onProgress?: (progress: { layer: number; done: number; total: number }) => void;
}

/**
 * Probes every layer by nested cross-validation over groups. Layer, probe and C are chosen on inner folds; `chosen.outerAuroc` is the
 * score of that whole procedure on rows outside it. Each layer's own held-out curve and controls stand apart.
 * Fails with ProbeError on labels or groups that allow no honest split.
 */
export async function sweepLayers(dataset: SweepDataset, options: SweepOptions): Promise<LayerSweep> {
  await ensureBackend();
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
  job: { layers: readonly number[]; rows: SweepRows; plan: SweepPlan; settings: SweepSettings },
  { signal, onProgress }: Pick<SweepOptions, "signal" | "onProgress">,
) {
  const { layers, rows, plan, settings } = job;
  const swept: SweptLayer[] = [];
  const faults: string[] = [];
  // Only the leaders are kept from layer to layer: memory does not grow with the number of layers.
  let leaders: (SweepCandidate | undefined)[] = plan.outer.map(() => undefined);
  let best: SweepCandidate | undefined;
  for (const layer of layers) {
    signal?.throwIfAborted();
    const values = pickRows(await dataset.layer(layer), rows.kept, dataset.hiddenSize);
    const one = await sweepLayer(values, { layer, width: dataset.hiddenSize, rows, plan, settings });
    swept.push(one.swept);
    faults.push(...one.candidates.flatMap((candidate) => candidate.faults));
    leaders = leaders.map((leader, i) => bestAt([...(leader ? [leader] : []), ...one.candidates], i));
    best = bestOverall([...(best ? [best] : []), ...one.candidates]);
    onProgress?.({ layer, done: swept.length, total: layers.length });
  }
  const choices = leaders.filter((leader) => leader !== undefined);
  if (!best || choices.length < plan.folds) {
    throw new ProbeError("not_converged", `No probe converged at any layer. ${faults[0] ?? ""}`.trim(), {
      faults,
    });
  }
  return { swept, choices, best, faults };
}

function checkedLayers(dataset: SweepDataset, layers: readonly number[]): readonly number[] {
  const absent = layers.filter((layer) => !dataset.layers.includes(layer));
  if (layers.length > 0 && absent.length === 0) return layers;
  throw new ProbeError(
    "bad_option",
    `layers asks for ${absent.join(", ") || "none"}, and the dataset holds ${dataset.layers.join(", ")}.`,
    { layers, held: dataset.layers },
  );
}

function pickRows(values: Float32Array, kept: Uint32Array, width: number): Float32Array {
  if (kept.length * width === values.length) return values;
  const picked = new Float32Array(kept.length * width);
  kept.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
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

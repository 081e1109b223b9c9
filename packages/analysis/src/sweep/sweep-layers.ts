import { readTokens, tokenKinds } from "../controls/read-tokens.ts";
import { sweepRivals } from "../controls/sweep-rivals.ts";
import { sweepVerdict } from "../controls/sweep-verdict.ts";
import { filteredRows } from "../controls/token-filter.ts";
import { onBackend } from "../backend/use-backend.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { SweepDataset } from "../probes/sweep-rows.ts";
import { layerSweepVersion, type LayerChoice, type LayerSweep } from "../results/layer-sweep.ts";
import { randomName } from "../statistics/random.ts";
import { defaultProbes } from "./default-probes.ts";
import { composeHeldOut } from "./held-out.ts";
import { heldOutMetrics } from "./held-out-metrics.ts";
import { withSweepCompute } from "./sweep-compute.ts";
import type { SweepShared } from "./sweep-layer.ts";
import type { SweepLeader } from "./sweep-leaders.ts";
import { splitText, sweepNotes } from "./sweep-notes.ts";
import { checkSweepOptions, type CheckedSweepOptions, type SweepOptions } from "./sweep-options.ts";
import { smallestDifference } from "./smallest-difference.ts";
import { layerPermutation, largestOfLayers } from "./sweep-permutation.ts";
import { sweepPlan } from "./sweep-plan.ts";
import { scoreNames, sweepTarget, type SweepRows } from "./sweep-target.ts";
import { visitLayers, type VisitedLayers } from "./visit-layers.ts";

/**
 * Probes every layer by nested cross-validation over groups. Layer, probe and C are chosen on inner folds; `chosen.outerScore` is the
 * score of that whole procedure on rows outside it. Each layer's own held-out curve, measures and controls stand apart, and
 * `verdict` says in words whether a control explains the score.
 * Throws ProbeError on labels or groups that allow no honest split, InvalidRequestError on options that are not known.
 */
export async function sweepLayers(dataset: SweepDataset, options: SweepOptions): Promise<LayerSweep> {
  const checked = checkSweepOptions(options);
  return await onBackend(() => sweep(dataset, checked));
}

async function sweep(dataset: SweepDataset, options: CheckedSweepOptions): Promise<LayerSweep> {
  const { seed, draws, shuffles, randomDirections, signal } = options;
  const layers = checkedLayers(dataset, options.layers ?? dataset.layers);
  const rows = await sweepTarget(dataset, options);
  const { kept, task, labels, columns, groupOf, groups } = rows;
  const shared: SweepShared = {
    target: { task, labels, columns, groupOf, groups },
    plan: sweepPlan(rows, options),
    kinds: await tokenKinds(dataset, kept, options.tokenColumn),
    settings: { probes: options.probes ?? defaultProbes(task), seed, draws, shuffles, randomDirections },
  };
  const tokens = await readTokens(dataset, kept);
  const filtered = await filteredRows(dataset, { kept, tokens, filter: options.tokenFilter });
  const work = { layers, kept, shared };
  return await withSweepCompute(dataset, { work, workers: options.workers }, async (compute) => {
    const visited = await visitLayers(compute, work, options);
    const { target, plan, settings } = shared;
    const scores = composeHeldOut(
      plan,
      target,
      visited.choices.map(({ heldOut }) => heldOut),
    );
    const rivals = await sweepRivals(compute, {
      ...{ target, plan, settings, tokens, filtered, signal, hiddenSize: dataset.hiddenSize },
      best: visited.best,
      scores: scores.scores,
      floor: visited.floor,
    });
    return document(options, { rows, shared, visited, rivals, heldOut: scores });
  });
}

function document(
  options: CheckedSweepOptions,
  found: {
    rows: SweepRows;
    shared: SweepShared;
    visited: VisitedLayers;
    rivals: Awaited<ReturnType<typeof sweepRivals>>;
    heldOut: ReturnType<typeof composeHeldOut>;
  },
): LayerSweep {
  const { rows, shared, visited, rivals, heldOut } = found;
  const { label, folds, seed, draws, shuffles, randomDirections } = options;
  const { best, choices } = visited;
  const { score, metrics } = heldOutMetrics(heldOut, shared);
  const largest = largestOfLayers(visited.shuffled);
  const layers = visited.swept.map((swept, place) => ({
    ...swept,
    permutation: layerPermutation(visited.leaderScores[place] ?? null, visited.shuffled[place]!, largest),
  }));
  const outline = {
    score: scoreNames[rows.task],
    group: rows.groupColumn,
    layers,
    chosen: {
      ...choiceOf(best.layer, best, best.best.C),
      chosenBy: "inner folds" as const,
      innerScore: best.best.inner,
      outerScore: score,
      metrics,
      permutation: layerPermutation(
        score.value,
        visited.shuffled[visited.layers.indexOf(best.layer)]!,
        largest,
      ),
      smallestDifference: smallestDifference(heldOut.scores, shared),
      perFoldChoices: choices.map((choice, i) => ({
        ...choiceOf(choice.layer, choice, choice.choices[i]!.C),
        innerScore: choice.choices[i]!.inner,
      })),
    },
    ...rivals,
  };
  return {
    schemaVersion: layerSweepVersion,
    kind: "layer-sweep",
    label,
    task: rows.task,
    positive: rows.positive,
    classes: rows.classes && [...rows.classes],
    counts: rows.counts,
    split: splitText(rows, folds),
    folds,
    seed,
    random: randomName,
    draws,
    shuffles,
    randomDirections,
    n: rows.labels.length,
    groups: rows.groups,
    ...outline,
    verdict: sweepVerdict(outline),
    notes: sweepNotes(rows, outline, visited.faults),
  };
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

function choiceOf(layer: number, { probe }: SweepLeader, C: number | undefined): LayerChoice {
  return { layer, probe: probe.name, ...(C === undefined ? {} : { C }) };
}

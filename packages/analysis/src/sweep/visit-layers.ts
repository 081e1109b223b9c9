import { ProbeError } from "../probes/probe-error.ts";
import type { SweptLayer } from "../results/layer-sweep.ts";
import type { SweepCompute, SweepWork } from "./sweep-compute.ts";
import { sweepLanes } from "./sweep-lanes.ts";
import { sweepLeaders, type SweepLeader } from "./sweep-leaders.ts";
import type { CheckedSweepOptions } from "./sweep-options.ts";
import { scoreMetric } from "./sweep-target.ts";
import type { SweptProbe } from "./swept-probe.ts";

/** What all layers together give. Lists are in the order of `layers`. */
export interface VisitedLayers {
  layers: readonly number[];
  swept: Omit<SweptLayer, "permutation">[];
  /** Held-out score of the probe that the inner folds chose at each layer. */
  leaderScores: (number | null)[];
  /** `[layers][shuffles]` */
  shuffled: (number | null)[][];
  /** One an outer fold. */
  choices: readonly SweepLeader[];
  best: SweepLeader;
  floor: { layer: number; scores: Float64Array } | { reason: string };
  faults: string[];
}

/** Sweeps every layer, as many at once as there are lanes. Throws ProbeError `not_converged` when no probe did at any layer. */
export async function visitLayers(
  compute: SweepCompute,
  work: SweepWork,
  { signal, onProgress }: Pick<CheckedSweepOptions, "signal" | "onProgress">,
): Promise<VisitedLayers> {
  const { layers, shared } = work;
  const { target, plan } = shared;
  const leaders = sweepLeaders(layers, plan.folds);
  const floorLayer = [-1, 0].find((layer) => layers.includes(layer));
  const swept: VisitedLayers["swept"] = [];
  const leaderScores: (number | null)[] = [];
  const shuffled: (number | null)[][] = [];
  const faults: string[][] = [];
  let floorScores: Float64Array | undefined;
  let done = 0;
  await sweepLanes(layers, { lanes: compute.lanes, signal }, async (layer, stopped) => {
    const outcome = await compute.layer(layer, stopped);
    const place = layers.indexOf(layer);
    const leader = best(outcome.probes);
    swept[place] = outcome.swept;
    shuffled[place] = outcome.shuffled;
    faults[place] = outcome.faults;
    leaderScores[place] = leader
      ? scoreMetric(target)
          .prepare({ scores: leader.heldOut.scores, labels: target.labels, strata: plan.foldOf })
          .value()
      : null;
    if (layer === floorLayer) floorScores = leader?.heldOut.scores;
    leaders.add(outcome.probes.map((probe) => ({ ...probe, layer })));
    onProgress?.({ layer, done: ++done, total: layers.length });
  });
  const all = faults.flat();
  if (!leaders.best || leaders.choices.length < plan.folds) {
    throw new ProbeError("not_converged", `No probe converged at any layer. ${all[0] ?? ""}`.trim(), {
      faults: all,
    });
  }
  const floor = floorOf(floorLayer, floorScores, leaders);
  const { choices } = leaders;
  return { layers, swept, leaderScores, shuffled, choices, best: leaders.best, floor, faults: all };
}

function floorOf(
  layer: number | undefined,
  scores: Float64Array | undefined,
  { choices }: { choices: readonly SweepLeader[] },
): VisitedLayers["floor"] {
  if (layer === undefined) return { reason: "neither layer −1 nor layer 0 is among the swept layers" };
  if (!scores) return { reason: `no probe converged at layer ${layer}` };
  if (choices.every((choice) => choice.layer === layer))
    return { reason: `the chosen layer is the lowest one, layer ${layer}` };
  return { layer, scores };
}

function best(probes: readonly SweptProbe[]): SweptProbe | undefined {
  return probes.reduce<SweptProbe | undefined>(
    (leader, probe) => (!leader || probe.best.inner > leader.best.inner ? probe : leader),
    undefined,
  );
}

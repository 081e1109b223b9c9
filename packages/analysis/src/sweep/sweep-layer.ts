import { controlTask, type TokenKinds } from "../controls/control-task.ts";
import { absent, drawSummary } from "../controls/draw-summary.ts";
import { randomDirections } from "../controls/random-directions.ts";
import { shuffledScores } from "../controls/shuffled-labels.ts";
import type { Probe } from "../probes/probe.ts";
import { probeMatrix } from "../probes/probe-matrix.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import type { SweptLayer } from "../results/layer-sweep.ts";
import { heldOutMetrics } from "./held-out-metrics.ts";
import { sweepCandidates, type SweepCandidate } from "./sweep-candidates.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import type { SweepTarget } from "./sweep-target.ts";
import { sweptProbe, type SweptProbe } from "./swept-probe.ts";

export interface SweepSettings {
  probes: readonly Probe[];
  seed: number;
  draws: number;
  shuffles: number;
  randomDirections: number;
}

/** What all layers of a sweep share. */
export interface SweepShared {
  target: SweepTarget;
  plan: SweepPlan;
  kinds: TokenKinds;
  settings: SweepSettings;
}

/** A layer's own curve points and controls, its probes for the choice, and the scores of each label shuffle. */
export interface LayerOutcome {
  swept: Omit<SweptLayer, "permutation">;
  probes: SweptProbe[];
  shuffled: (number | null)[];
  /** In words, fits that did not converge. */
  faults: string[];
}

/** One layer of a sweep. `values` is `[rows, width]`. */
export async function sweepLayer(
  values: Float32Array,
  { layer, width, shared }: { layer: number; width: number; shared: SweepShared },
): Promise<LayerOutcome> {
  const matrix = probeMatrix(values, width);
  try {
    const { target, plan, settings } = shared;
    const name = `Layer ${layer}`;
    const candidates = await sweepCandidates(matrix, { name, target, plan, probes: settings.probes });
    const perProbe = settings.probes.map((probe) => {
      const own = candidates.filter((candidate) => candidate.probe === probe);
      return { probe, own, found: sweptProbe(own, { target, plan }) };
    });
    const probes = perProbe.flatMap(({ found }) => found ?? []);
    const leader = probes.reduce<SweptProbe | undefined>(
      (best, one) => (!best || one.best.inner > best.best.inner ? one : best),
      undefined,
    );
    const { controls, shuffled } = await layerControls(matrix, { layer, leader, shared });
    return {
      swept: { layer, probes: perProbe.map((one) => curvePoint(one, shared)), controls },
      probes,
      shuffled,
      faults: candidates.flatMap((candidate) => candidate.faults),
    };
  } finally {
    matrix.dispose();
  }
}

async function layerControls(
  matrix: ProbeMatrix,
  { layer, leader, shared }: { layer: number; leader: SweptProbe | undefined; shared: SweepShared },
): Promise<{ controls: SweptLayer["controls"]; shuffled: (number | null)[] }> {
  const { target, plan, kinds, settings } = shared;
  const { seed } = settings;
  const directions = { target, plan, seed, layer, count: settings.randomDirections };
  const randomDirection = await randomDirections(matrix, directions);
  if (!leader) {
    const none = absent("no probe converged at this layer");
    return {
      controls: { shuffledLabels: none, randomDirection, controlTask: none, selectivity: none },
      shuffled: [],
    };
  }
  const { C } = leader.best;
  const fixed = { probe: leader.probe, ...(C === undefined ? {} : { C }) };
  const fitted = { target, plan, fixed };
  const shuffled = await shuffledScores(matrix, { ...fitted, count: settings.shuffles, seed });
  const selective = await controlTask(matrix, leader.heldOut.scores, { ...fitted, kinds, settings });
  const reason = settings.shuffles === 0 ? "none was asked for" : "no shuffle could be fitted";
  return {
    controls: { shuffledLabels: drawSummary(shuffled, reason), randomDirection, ...selective },
    shuffled,
  };
}

/** A probe's held-out score at this layer; for each outer fold with the C that its inner folds chose. */
function curvePoint(
  { probe, own, found }: { probe: Probe; own: readonly SweepCandidate[]; found: SweptProbe | undefined },
  { target, plan, settings }: SweepShared,
): SweptLayer["probes"][number] {
  const converged = own.every((candidate) => candidate.converged);
  if (!found) {
    const reason = own.flatMap((candidate) => candidate.faults)[0] ?? "no inner fold holds both classes";
    return { probe: probe.name, score: absent(reason), metrics: {}, converged };
  }
  const perFoldC = found.choices.map(({ C }) => C).filter((C) => C !== undefined);
  return {
    probe: probe.name,
    ...(perFoldC.length > 0 ? { C: mostFrequent(perFoldC), perFoldC } : {}),
    ...heldOutMetrics(found.heldOut, { target, plan, settings }),
    converged,
  };
}

function mostFrequent(values: readonly number[]): number {
  const count = (value: number) => values.filter((other) => other === value).length;
  return [...values].sort((a, b) => count(b) - count(a) || a - b)[0]!;
}

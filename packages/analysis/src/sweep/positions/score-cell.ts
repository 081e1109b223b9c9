import { absent } from "../../controls/draw-summary.ts";
import type { Probe } from "../../probes/probe.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { Estimate } from "../../results/estimate.ts";
import { indexGroups } from "../../statistics/group-folds.ts";
import { aurocMetric } from "../../statistics/metrics/auroc.ts";
import { estimateMetric } from "../../statistics/metrics/estimate-metric.ts";
import { fitHeldOut } from "../fit-held-out.ts";
import { metricRows } from "../held-out-metrics.ts";
import { sweepPlan, type SweepPlan } from "../sweep-plan.ts";
import type { SweepTarget } from "../sweep-target.ts";

/** The rows of one place, and how they are split: the same at every layer. */
export interface Cell {
  place: number;
  /** Entries among the kept rows. */
  entries: readonly number[];
  target: SweepTarget;
  /** Or why there can be no score. */
  plan: SweepPlan | { reason: string };
}

/** Deals the groups of a place's rows to folds. */
export function cellOf(
  place: number,
  entries: readonly number[],
  {
    labels,
    groupOf,
    folds,
    seed,
  }: { labels: ArrayLike<number>; groupOf: ArrayLike<number>; folds: number; seed: number },
): Cell {
  const { index, count } = indexGroups(entries.map((entry) => groupOf[entry]!));
  const target: SweepTarget = {
    ...{ task: "binary", columns: 1, groupOf: index, groups: count },
    labels: Float64Array.from(entries, (entry) => labels[entry]!),
  };
  if (entries.length === 0) return { place, entries, target, plan: { reason: "no example has a row here" } };
  return { place, entries, target, plan: undefinedWhere(() => sweepPlan(target, { folds, seed })) };
}

/** Held-out AUROC of the cell's rows (`values`, `[entries, width]`): pairs of one fold, whole groups redrawn. */
export async function scoreCell(
  values: Float32Array,
  { target, plan, place }: Cell,
  options: { layer: number; width: number; probe: Probe; draws: number; seed: number },
): Promise<Estimate> {
  const { layer, width, probe, draws, seed } = options;
  const sizes = { n: target.labels.length, groups: target.groups };
  if ("reason" in plan) return { ...absent(plan.reason), ...sizes };
  const fixed = probe.C === null || probe.C.length === 1 ? { fixed: { C: probe.C?.[0] } } : {};
  const work = { name: `Layer ${layer}, position ${place}`, width, probes: [probe], ...fixed };
  const fit = await fitHeldOut(values, work, { target, plan }).catch((error: unknown) => reasonOf(error));
  if ("reason" in fit) return { ...absent(fit.reason), ...sizes };
  return estimateMetric(aurocMetric, metricRows(fit.scores, target, plan), { draws, seed });
}

function undefinedWhere<T>(make: () => T): T | { reason: string } {
  try {
    return make();
  } catch (error) {
    return reasonOf(error);
  }
}

/** What is said of a place with too few groups or of one class is its score's reason; anything else is an error of the whole. */
function reasonOf(error: unknown): { reason: string } {
  const known =
    error instanceof ProbeError && ["one_class", "too_few_groups", "not_converged"].includes(error.code);
  if (known) return { reason: error.message };
  throw error;
}

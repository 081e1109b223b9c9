import type { Probe, ProbeFit } from "../probes/probe.ts";
import { probeMatrix } from "../probes/probe-matrix.ts";
import { fitColumns, heldOutScores, sweepCandidates } from "./sweep-candidates.ts";
import { planOfFolds, type SweepPlan } from "./sweep-plan.ts";
import type { SweepTarget } from "./sweep-target.ts";
import { sweptProbe } from "./swept-probe.ts";

/** Probes to fit on rows that are no swept layer. */
export interface HeldOutWork {
  /** What the rows are, for what is told of fits. */
  name: string;
  width: number;
  /** The inner folds choose among them. */
  probes: readonly Probe[];
  /** Fits the first probe at this C alone (undefined for a probe without one). */
  fixed?: { C: number | undefined };
  /** 1 for rows that take part in no training. */
  without?: Uint8Array;
}

/** `[rows, columns]` held-out scores, or why there are none. */
export type HeldOutFit = { scores: Float64Array } | { reason: string };

/** Held-out scores of the probes on `values` (`[rows, width]`), in the folds of the sweep. */
export async function fitHeldOut(
  values: Float32Array,
  { name, width, probes, fixed, without }: HeldOutWork,
  { target, plan }: { target: SweepTarget; plan: SweepPlan },
): Promise<HeldOutFit> {
  const matrix = probeMatrix(values, width);
  try {
    const own = without ? planOfFolds(plan.foldOf, plan.folds, without) : plan;
    if (!fixed) {
      const candidates = await sweepCandidates(matrix, { name, target, plan: own, probes });
      const found = sweptProbe(candidates, { target, plan: own });
      if (found) return { scores: found.heldOut.scores };
      return { reason: candidates.flatMap(({ faults }) => faults)[0] ?? "no inner fold holds both classes" };
    }
    const fits = await probes[0]!.fitAt(matrix, fitColumns(target, target.labels, own.outer), fixed.C);
    if (!fits.every((fit) => fit.converged)) return { reason: `${name}: a fit did not converge` };
    const fitOf = (c: number, fold: number): ProbeFit => fits[c * own.folds + fold]!;
    return { scores: heldOutScores(own, target.columns, fitOf) };
  } finally {
    matrix.dispose();
  }
}

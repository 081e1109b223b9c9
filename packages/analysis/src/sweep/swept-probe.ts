import type { Probe } from "../probes/probe.ts";
import { foldCalibration } from "./fold-calibration.ts";
import { chooseEachFold, composeHeldOut, type FoldChoice, type HeldOut } from "./held-out.ts";
import { bestOverall, meanInner, type SweepCandidate } from "./sweep-candidates.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import type { SweepTarget } from "./sweep-target.ts";

/** One probe on one matrix of rows, its C chosen at each outer fold by the inner ones. */
export interface SweptProbe {
  probe: Probe;
  /** One an outer fold. */
  choices: FoldChoice[];
  heldOut: HeldOut;
  /** The C of the best mean inner score, for what is fitted at one C. */
  best: { C?: number; inner: number };
}

/** The choice of each fold among one probe's candidates, and the best overall; undefined where a fold has no candidate with an inner score. */
export function sweptProbe(
  candidates: readonly SweepCandidate[],
  { target, plan }: { target: SweepTarget; plan: SweepPlan },
): SweptProbe | undefined {
  const chosen = chooseEachFold(candidates, plan);
  const best = bestOverall(candidates);
  if (!chosen || !best) return undefined;
  const parts = chosen.map((choice, i): HeldOut => ({
    scores: choice.scores,
    calibrations: plan.outer.map((_, fold) =>
      fold === i ? foldCalibration(target, choice.innerScores(i)) : null,
    ),
  }));
  return {
    probe: best.probe,
    choices: chosen.map((choice, i) => ({ ...ofC(choice), inner: choice.inner[i]! })),
    heldOut: composeHeldOut(plan, target, parts),
    best: { ...ofC(best), inner: meanInner(best)! },
  };
}

function ofC({ C }: { C?: number }): { C?: number } {
  return C === undefined ? {} : { C };
}

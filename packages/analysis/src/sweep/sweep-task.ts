import type { BackendName } from "../backend/backend-name.ts";
import { sameBackend } from "../backend/same-backend.ts";
import type { TaskOutput } from "../compute/worker-messages.ts";
import type { TokenKinds } from "../controls/control-task.ts";
import type { ProbeRecipe } from "../probes/known-probe.ts";
import { probeFromRecipe } from "../probes/probe-from-recipe.ts";
import { fitHeldOut, type HeldOutFit, type HeldOutWork } from "./fit-held-out.ts";
import { sweepLayer, type LayerOutcome, type SweepSettings } from "./sweep-layer.ts";
import { planOfFolds } from "./sweep-plan.ts";
import type { SweepTarget } from "./sweep-target.ts";
import type { SweptProbe } from "./swept-probe.ts";

/** What every job of a sweep is given: rows and folds that all workers read in place. */
export interface SharedJob {
  readonly backend: BackendName;
  readonly target: SweepTarget;
  readonly folds: number;
  readonly foldOf: Uint8Array;
}

/** One layer of a sweep, as a worker is given it. */
export interface SweepJob extends SharedJob {
  readonly layer: number;
  readonly width: number;
  /** `[rows, width]`. */
  readonly values: Float32Array<ArrayBuffer>;
  readonly kinds: TokenKinds;
  readonly probes: readonly ProbeRecipe[];
  readonly settings: Omit<SweepSettings, "probes">;
}

/** What comes back: a probe is named by its place in the list. */
export type SweptJob = Omit<LayerOutcome, "probes"> & {
  readonly probes: readonly (Omit<SweptProbe, "probe"> & { probe: number })[];
};

/** Sweeps the layer in this thread. */
export async function sweepTask(job: SweepJob): Promise<TaskOutput<SweptJob>> {
  await sameBackend(job.backend);
  const probes = job.probes.map(probeFromRecipe);
  const { target, kinds, layer, width } = job;
  const plan = planOfFolds(job.foldOf, job.folds);
  const shared = { target, plan, kinds, settings: { ...job.settings, probes } };
  const outcome = await sweepLayer(job.values, { layer, width, shared });
  const sent = outcome.probes.map(({ probe, ...rest }) => ({ ...rest, probe: probes.indexOf(probe) }));
  return {
    output: { ...outcome, probes: sent },
    transfer: sent.map(({ heldOut }) => heldOut.scores.buffer as ArrayBuffer),
  };
}

/** A control's rows, as a worker is given them. */
export interface HeldOutJob extends SharedJob {
  readonly values: Float32Array<ArrayBuffer>;
  readonly work: Omit<HeldOutWork, "probes"> & { readonly probes: readonly ProbeRecipe[] };
}

/** Fits in this thread. */
export async function heldOutTask(job: HeldOutJob): Promise<TaskOutput<HeldOutFit>> {
  await sameBackend(job.backend);
  const { target, work } = job;
  const plan = planOfFolds(job.foldOf, job.folds);
  const output = await fitHeldOut(
    job.values,
    { ...work, probes: work.probes.map(probeFromRecipe) },
    { target, plan },
  );
  return { output, transfer: "scores" in output ? [output.scores.buffer as ArrayBuffer] : [] };
}

import type { BackendName } from "../backend/backend-name.ts";
import { sameBackend } from "../backend/same-backend.ts";
import type { TaskOutput } from "../compute/worker-messages.ts";
import type { SweptLayer } from "../results/layer-sweep.ts";
import type { ProbeRecipe } from "../probes/known-probe.ts";
import { probeFromRecipe } from "../probes/probe-from-recipe.ts";
import type { SweepCandidate } from "./sweep-candidates.ts";
import { sweepLayer } from "./sweep-layer.ts";
import type { SweepSettings } from "./sweep-layer.ts";
import { planOfFolds } from "./sweep-plan.ts";
import type { ScoredRows } from "../probes/sweep-rows.ts";

/** One layer of a sweep, as a worker is given it. */
export interface SweepJob {
  readonly backend: BackendName;
  readonly layer: number;
  readonly width: number;
  /** `[rows, width]`. */
  readonly values: Float32Array<ArrayBuffer>;
  readonly rows: ScoredRows;
  readonly folds: number;
  readonly foldOf: Uint8Array;
  readonly probes: readonly ProbeRecipe[];
  readonly settings: Omit<SweepSettings, "probes">;
}

/** What comes back: a candidate names its probe by its place in the list. */
export interface SweptJob {
  readonly swept: SweptLayer;
  readonly candidates: readonly (Omit<SweepCandidate, "probe"> & { probe: number })[];
}

/** Sweeps the layer in this thread. */
export async function sweepTask(job: SweepJob): Promise<TaskOutput<SweptJob>> {
  await sameBackend(job.backend);
  const probes = job.probes.map(probeFromRecipe);
  const { swept, candidates } = await sweepLayer(job.values, {
    layer: job.layer,
    width: job.width,
    rows: job.rows,
    plan: planOfFolds(job.foldOf, job.folds),
    settings: { ...job.settings, probes },
  });
  const sent = candidates.map(({ probe, ...rest }) => ({ ...rest, probe: probes.indexOf(probe) }));
  return {
    output: { swept, candidates: sent },
    transfer: candidates.map(({ scores }) => scores.buffer as ArrayBuffer),
  };
}

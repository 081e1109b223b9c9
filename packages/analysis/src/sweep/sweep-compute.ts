import { activeBackend } from "../backend/active-backend.ts";
import { sharedCopy } from "../compute/shared-copy.ts";
import { withSharedPool } from "../compute/shared-pool.ts";
import { layerOf } from "../probes/checked-reads.ts";
import { recipeOf } from "../probes/known-probe.ts";
import { sweepLayer } from "./sweep-layer.ts";
import type { SweepSettings } from "./sweep-layer.ts";
import type { SweepCandidate } from "./sweep-candidates.ts";
import type { SweepPlan } from "./sweep-plan.ts";
import type { SweepRows, SweepDataset } from "../probes/sweep-rows.ts";
import type { SweepJob, SweptJob } from "./sweep-task.ts";
import { sweepWorkers } from "./sweep-workers.ts";
import type { SweptLayer } from "../results/layer-sweep.ts";

/** What all layers of a sweep share. */
export interface SweepWork {
  readonly layers: readonly number[];
  readonly rows: SweepRows;
  readonly plan: SweepPlan;
  readonly settings: SweepSettings;
}

/** A layer's points and its candidates for the choice. */
interface SweptCandidates {
  readonly swept: SweptLayer;
  readonly candidates: readonly SweepCandidate[];
}

export type SweepOne = (layer: number, signal?: AbortSignal) => Promise<SweptCandidates>;

/** Lends a function that sweeps a layer, here or in a worker, and says how many of its calls may be under way at once. */
export async function withSweepCompute<T>(
  dataset: Pick<SweepDataset, "layer" | "hiddenSize" | "rows">,
  { work, workers: asked }: { work: SweepWork; workers: number | undefined },
  use: (sweepOne: SweepOne, lanes: number) => Promise<T>,
): Promise<T> {
  const { rows, plan, settings, layers } = work;
  const width = dataset.hiddenSize;
  const backend = activeBackend();
  const { probes, ...plain } = settings;
  const size = { rows: rows.kept.length, width, layers: layers.length };
  const workers = sweepWorkers({ asked, backend, probes, ...size });
  if (workers === 0 || backend === undefined) {
    const sweepHere: SweepOne = async (layer) => {
      const values = await layerOf(dataset, layer);
      const picked = rows.kept.length === dataset.rows ? values : pickRows(values, rows.kept, width);
      return await sweepLayer(picked, { layer, width, rows, plan, settings });
    };
    return await use(sweepHere, 1);
  }
  // Every layer is given the same rows and folds: workers read one copy.
  const shared = {
    backend,
    width,
    folds: plan.folds,
    foldOf: sharedCopy(plan.foldOf),
    rows: {
      labels: sharedCopy(rows.labels),
      groupOf: sharedCopy(rows.groupOf),
      groups: rows.groups,
      positives: rows.positives,
    },
    probes: probes.map((probe) => recipeOf(probe)!),
    settings: plain,
  };
  return await withSharedPool(workers, (pool) =>
    use(async (layer, signal) => {
      const prepare = async () => {
        // A copy, since it changes hands: the dataset may keep its own.
        const values = pickRows(await layerOf(dataset, layer), rows.kept, width);
        const input: SweepJob = { ...shared, layer, values };
        return { input, transfer: [values.buffer] };
      };
      const { swept, candidates } = await pool.run<SweepJob, SweptJob>("sweep-layer", prepare, { signal });
      return {
        swept,
        candidates: candidates.map(({ probe, ...rest }) => ({ ...rest, probe: probes[probe]! })),
      };
    }, workers),
  );
}

function pickRows(values: Float32Array, kept: Uint32Array, width: number): Float32Array<ArrayBuffer> {
  const picked = new Float32Array(kept.length * width);
  if (picked.length === values.length) picked.set(values);
  else kept.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
}

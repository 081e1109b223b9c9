import { activeBackend } from "../backend/active-backend.ts";
import { sharedCopy } from "../compute/shared-copy.ts";
import { withSharedPool } from "../compute/shared-pool.ts";
import type { WorkerPool } from "../compute/worker-pool.ts";
import { layerOf } from "../probes/checked-reads.ts";
import { recipeOf } from "../probes/known-probe.ts";
import type { SweepDataset } from "../probes/sweep-rows.ts";
import { fitHeldOut, type HeldOutFit, type HeldOutWork } from "./fit-held-out.ts";
import { sweepLayer, type LayerOutcome, type SweepShared } from "./sweep-layer.ts";
import type { HeldOutJob, SharedJob, SweepJob, SweptJob } from "./sweep-task.ts";
import { sweepWorkers } from "./sweep-workers.ts";

/** What a sweep computes, here or in workers: the numbers are the same. */
export interface SweepCompute {
  /** How many calls may be under way at once. */
  readonly lanes: number;
  layer(layer: number, signal?: AbortSignal): Promise<LayerOutcome>;
  /** Probes on other rows: those of a control, `[rows, work.width]`. */
  fit(work: HeldOutWork, values: ValuesOf, signal?: AbortSignal): Promise<HeldOutFit>;
  /** The kept rows of a layer, a copy. */
  readonly rowsOf: (layer: number) => Promise<Float32Array<ArrayBuffer>>;
}

/** Makes the rows when a worker is free for them: no more are in memory than there are workers. */
type ValuesOf = () => Promise<Float32Array<ArrayBuffer>>;

/** What is swept. */
export interface SweepWork {
  readonly layers: readonly number[];
  /** Row numbers in the dataset. */
  readonly kept: Uint32Array;
  readonly shared: SweepShared;
}

/** Lends what computes a sweep. */
export async function withSweepCompute<T>(
  dataset: Pick<SweepDataset, "layer" | "hiddenSize" | "rows">,
  { work, workers: asked }: { work: SweepWork; workers: number | undefined },
  use: (compute: SweepCompute) => Promise<T>,
): Promise<T> {
  const { kept, shared, layers } = work;
  const width = dataset.hiddenSize;
  const backend = activeBackend();
  const { probes } = shared.settings;
  const size = { rows: kept.length, width, layers: layers.length };
  const workers = sweepWorkers({ asked, backend, probes, ...size });
  const rowsOf = async (layer: number) => pickRows(await layerOf(dataset, layer), kept, width);
  if (workers === 0 || backend === undefined) {
    return await use({
      lanes: 1,
      rowsOf,
      layer: async (layer) => {
        const values = await layerOf(dataset, layer);
        const picked = kept.length === dataset.rows ? values : pickRows(values, kept, width);
        return await sweepLayer(picked, { layer, width, shared });
      },
      fit: async (held, values) => await fitHeldOut(await values(), held, shared),
    });
  }
  const job = sharedJob(backend, shared);
  return await withSharedPool(workers, (pool) =>
    use({ ...inWorkers(pool, { job, shared, width, rowsOf }), lanes: workers, rowsOf }),
  );
}

/** Every job is given the same rows and folds: workers read one copy. */
function sharedJob(backend: SharedJob["backend"], { target, plan }: SweepShared): SharedJob {
  const { labels, groupOf } = target;
  return {
    backend,
    target: { ...target, labels: sharedCopy(labels), groupOf: sharedCopy(groupOf) },
    folds: plan.folds,
    foldOf: sharedCopy(plan.foldOf),
  };
}

function inWorkers(
  pool: WorkerPool,
  {
    job,
    shared,
    width,
    rowsOf,
  }: { job: SharedJob; shared: SweepShared; width: number; rowsOf: SweepCompute["rowsOf"] },
): Pick<SweepCompute, "layer" | "fit"> {
  const { probes, ...settings } = shared.settings;
  const recipes = probes.map((probe) => recipeOf(probe)!);
  const kinds =
    "reason" in shared.kinds ? shared.kinds : { ...shared.kinds, kindOf: sharedCopy(shared.kinds.kindOf) };
  return {
    async layer(layer, signal) {
      const prepare = async () => {
        const values = await rowsOf(layer);
        const input: SweepJob = { ...job, layer, width, values, kinds, probes: recipes, settings };
        return { input, transfer: [values.buffer] };
      };
      const outcome = await pool.run<SweepJob, SweptJob>("sweep-layer", prepare, { signal });
      return {
        ...outcome,
        probes: outcome.probes.map(({ probe, ...rest }) => ({ ...rest, probe: probes[probe]! })),
      };
    },
    async fit({ probes: fitted, ...work }, valuesOf, signal) {
      const prepare = async () => {
        const values = await valuesOf();
        const own = fitted.map((probe) => recipeOf(probe)!);
        const input: HeldOutJob = { ...job, values, work: { ...work, probes: own } };
        return { input, transfer: [values.buffer] };
      };
      return await pool.run<HeldOutJob, HeldOutFit>("fit-held-out", prepare, { signal });
    },
  };
}

/** A copy, since it changes hands: the dataset may keep its own. */
function pickRows(values: Float32Array, kept: Uint32Array, width: number): Float32Array<ArrayBuffer> {
  const picked = new Float32Array(kept.length * width);
  if (picked.length === values.length) picked.set(values);
  else kept.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
}

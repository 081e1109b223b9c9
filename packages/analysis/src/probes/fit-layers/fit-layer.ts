import { availableParallelism } from "node:os";
import { activeBackend } from "../../backend/active-backend.ts";
import { withSharedPool } from "../../compute/shared-pool.ts";
import { layerOf } from "../checked-reads.ts";
import { recipeOf } from "../known-probe.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";
import { isStreamed, layerMatrix, type LayerSource } from "../layer-matrix.ts";
import type { SweepDataset } from "../sweep-rows.ts";
import type { FitJob } from "./fit-layers-task.ts";

/** What fits read of a dataset. */
export type FittedDataset = LayerSource & Pick<SweepDataset, "layers">;

/** Fits the columns of one layer, here or in workers. */
export async function fitLayer(
  dataset: FittedDataset,
  {
    layer,
    probe,
    columns,
    asked,
    layers,
    signal,
  }: {
    layer: number;
    probe: Probe;
    columns: readonly ProbeColumn[];
    asked: number | undefined;
    layers: number;
    signal: AbortSignal | undefined;
  },
): Promise<ProbeFit[][]> {
  const width = dataset.hiddenSize;
  const backend = activeBackend();
  const recipe = recipeOf(probe);
  if (asked !== undefined && asked > 0 && !recipe) {
    const message = `workers is ${asked}, and the probe ${probe.name} is not one that this package made: functions do not go to another thread. Leave workers out, or give 0.`;
    throw new ProbeError("bad_option", message, { workers: asked, probe: probe.name });
  }
  const workers = asked ?? (recipe && backend !== "webgpu" ? availableParallelism() : 0);
  // Blocks are read by this thread.
  if (workers === 0 || !recipe || backend === undefined || isStreamed(dataset)) {
    const matrix = await layerMatrix(dataset, layer);
    try {
      return await probe.fit(matrix, columns);
    } finally {
      matrix.dispose();
    }
  }
  // With fewer layers than workers, several share the columns of one layer.
  const shares = Math.max(1, Math.min(Math.floor(workers / layers), Math.ceil(columns.length / 8)));
  const each = Math.ceil(columns.length / shares);
  const parts = Array.from({ length: shares }, (_, part) => columns.slice(part * each, (part + 1) * each));
  return await withSharedPool(workers, async (pool) => {
    const fitted = await Promise.all(
      parts
        .filter((part) => part.length > 0)
        .map((part) => {
          const prepare = async () => {
            const values = (await layerOf(dataset, layer)).slice();
            const input: FitJob = { backend, width, values, probe: recipe, columns: part };
            return { input, transfer: [values.buffer] };
          };
          return pool.run<FitJob, ProbeFit[][]>("fit-columns", prepare, { signal });
        }),
    );
    return fitted[0]!.map((_, C) => fitted.flatMap((part) => part[C]!));
  });
}

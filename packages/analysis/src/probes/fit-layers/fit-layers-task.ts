import type { BackendName } from "../../backend/backend-name.ts";
import { sameBackend } from "../../backend/same-backend.ts";
import type { TaskOutput } from "../../compute/worker-messages.ts";
import type { ProbeRecipe } from "../known-probe.ts";
import type { ProbeColumn, ProbeFit } from "../probe.ts";
import { probeFromRecipe } from "../probe-from-recipe.ts";
import { probeMatrix } from "../probe-matrix.ts";

/** Columns of one layer, as a worker is given them. What columns share is one object in the message too. */
export interface FitJob {
  readonly backend: BackendName;
  readonly width: number;
  /** `[rows, width]`: the worker's own, or one copy that several read in place. */
  readonly values: Float32Array;
  readonly probe: ProbeRecipe;
  readonly columns: readonly ProbeColumn[];
}

/** Fits in this thread. */
export async function fitTask(job: FitJob): Promise<TaskOutput<ProbeFit[][]>> {
  await sameBackend(job.backend);
  const matrix = probeMatrix(job.values, job.width);
  try {
    const output = await probeFromRecipe(job.probe).fit(matrix, job.columns);
    const buffers = output.flat().flatMap(({ weights, scores }) => [weights.buffer, scores.buffer]);
    return { output, transfer: [...new Set(buffers)] as ArrayBuffer[] };
  } finally {
    matrix.dispose();
  }
}

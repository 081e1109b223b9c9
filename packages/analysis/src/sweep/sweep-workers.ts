import { availableParallelism, freemem } from "node:os";
import type { BackendName } from "../backend/backend-name.ts";
import { recipeOf } from "../probes/known-probe.ts";
import type { Probe } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";

/** Rows × width × layers × fits: a few seconds of work, below which starting threads takes longer than they save. */
const smallWork = 1e7;
/** A worker holds a layer as it came, centred, and on the backend. */
const copies = 3;

/**
 * How many worker threads a sweep takes; 0 computes in this thread. Unless the caller says: as many as the machine has cores
 * (one on the native backend, whose operations use all cores), none for a small sweep, for WebGPU (which does not block) and for
 * probes of the caller's own, which no message can carry.
 */
export function sweepWorkers(options: {
  asked: number | undefined;
  backend: BackendName | undefined;
  probes: readonly Probe[];
  rows: number;
  width: number;
  layers: number;
}): number {
  const { asked, backend, probes, rows, width, layers } = options;
  const own = probes.find((probe) => recipeOf(probe) === undefined);
  if (asked !== undefined) {
    if (!Number.isInteger(asked) || asked < 0 || asked > 256) {
      throw new ProbeError("bad_option", `workers is ${asked}: give a whole number from 0 to 256.`, {
        workers: asked,
      });
    }
    if (asked > 0 && own) {
      throw new ProbeError(
        "bad_option",
        `workers is ${asked}, and the probe ${own.name} is not one that this package made: functions do not go to another ` +
          `thread. Leave workers out, or give 0.`,
        { workers: asked, probe: own.name },
      );
    }
    return Math.min(asked, layers);
  }
  const columns = probes.reduce((sum, { C }) => sum + (C?.length ?? 1), 0);
  if (own || backend === undefined || backend === "webgpu" || rows * width * layers * columns < smallWork)
    return 0;
  if (backend === "node-gpu" || backend === "node-cpu") return 1;
  const fit = Math.floor(freemem() / (copies * 4 * rows * width));
  return Math.max(1, Math.min(availableParallelism(), layers, fit));
}

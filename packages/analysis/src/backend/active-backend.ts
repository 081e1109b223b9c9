import * as tf from "@tensorflow/tfjs";
import { candidates, tfjsNames, type BackendName } from "./backend-name.ts";

/** What tfjs computes on now; undefined before a choice, and for a backend that is none of ours. */
export function activeBackend(): BackendName | undefined {
  const active = tf.getBackend() as string | undefined;
  const found = candidates.find((candidate) => tfjsNames[candidate] === active);
  if (found !== "node-gpu") return found;
  return (tf.backend() as { isUsingGpuDevice?: boolean }).isUsingGpuDevice === true ? "node-gpu" : "node-cpu";
}

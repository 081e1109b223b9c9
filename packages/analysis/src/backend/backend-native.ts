import * as tf from "@tensorflow/tfjs";
import { loadNative as load } from "./native-load.ts";

export type NativeOutcome = { usingGpu: boolean; whyNoGpu: string | null } | { reason: string };

/** Loads the native backend and makes it the active one. */
export async function loadNative(specifier?: string): Promise<NativeOutcome> {
  const outcome = await load(tf, specifier === undefined ? {} : { specifier });
  if ("reason" in outcome) return outcome;
  if (!(await tf.setBackend("tensorflow"))) return { reason: "loaded, but its backend did not start" };
  return { usingGpu: outcome.backend.isUsingGpuDevice, whyNoGpu: outcome.whyNoGpu };
}

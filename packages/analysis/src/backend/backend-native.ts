import * as tf from "@tensorflow/tfjs";
import { loadNative as load } from "./native-load.ts";

/** `whyNoGpu` is null where a GPU computes. */
export type NativeOutcome = { whyNoGpu: string | null } | { reason: string };

/** Loads the native backend and makes it the active one. */
export async function loadNative(specifier?: string): Promise<NativeOutcome> {
  // CUDA's products round their factors to TF32 (10 bits) otherwise; what the user has set stays.
  process.env["NVIDIA_TF32_OVERRIDE"] ??= "0";
  const outcome = await load(tf, specifier === undefined ? {} : { specifier });
  if ("reason" in outcome) return outcome;
  if (!(await tf.setBackend("tensorflow"))) return { reason: "loaded, but its backend did not start" };
  return { whyNoGpu: outcome.whyNoGpu };
}

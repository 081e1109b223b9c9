import * as tf from "@tensorflow/tfjs";
import { watchDevice } from "./device-errors.ts";
import type { DeviceWatch } from "./device-errors.ts";

/**
 * Runs operations that end in one tensor and reads it; the tensors in between and the one at the end are freed. Never reads
 * synchronously, which WebGPU cannot. Throws ResiduaError `backend_error` when the device reported an error since `watch` began.
 */
export async function readTensor<D extends "float32" | "int32" | "bool" = "float32">(
  build: () => tf.Tensor,
  watch: DeviceWatch = watchDevice(),
): Promise<tf.DataTypeMap[D]> {
  const tensor = tf.tidy(build);
  try {
    const data = await tensor.data<D>();
    watch.check();
    return data;
  } catch (error) {
    // What the device said explains more than what the read then met.
    watch.check();
    throw error;
  } finally {
    tensor.dispose();
  }
}

import * as tf from "@tensorflow/tfjs";
import type { GpuLimits } from "./webgpu-types.ts";

/** What one tensor on the active backend may be. */
export interface DeviceLimits {
  /** Bytes of a tensor. */
  readonly bytes: number;
  /** Rows of a matrix in a product: a dispatch has a group of threads for each few of them. */
  readonly rows: number;
}

/** 2 GiB less a number: typed arrays, N-API and WASM's signed pointers all end near there. */
const otherBackends: DeviceLimits = { bytes: 2 ** 31 - 4, rows: Infinity };

/** Read from the device where it has limits: beyond them WebGPU answers wrongly without an error. */
export function deviceLimits(): DeviceLimits {
  if (tf.getBackend() !== "webgpu") return otherBackends;
  const { limits } = (tf.backend() as unknown as { device: { limits: GpuLimits } }).device;
  return {
    bytes: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize),
    rows: limits.maxComputeWorkgroupsPerDimension,
  };
}

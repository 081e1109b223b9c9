import * as tf from "@tensorflow/tfjs";
import { recordDeviceErrors } from "./device-errors.ts";
import type { Started } from "./start-backend.ts";
import { findAdapter, type FoundAdapter } from "./webgpu-adapter.ts";
import type { GpuAdapter, GpuDevice } from "./webgpu-types.ts";

/** The limits that decide how large a tensor and a program may be: as much of them as the adapter has. */
const wanted = [
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "maxComputeWorkgroupSizeX",
  "maxComputeInvocationsPerWorkgroup",
] as const;

let running: { device: GpuDevice; words: string; lost: boolean } | undefined;

/** Starts tfjs's WebGPU backend on a device of our own, whose errors are heard from the first one on. */
export async function startWebgpu(asked: boolean): Promise<Started> {
  if (!running || running.lost) {
    const found = await findAdapter(asked);
    if ("reason" in found) return found;
    if (found.software && !asked) {
      return {
        reason: `its only adapter is software, which is no GPU and slower than WASM: ${found.name} (taken when it is asked for)`,
      };
    }
    running = await register(found);
  }
  if (!(await tf.setBackend("webgpu")))
    return { reason: "an adapter is there, but tfjs did not start on it" };
  return { name: "webgpu", device: running.words, threads: null };
}

async function register({ adapter, software, name, through, install }: FoundAdapter) {
  install();
  const device = await openDevice(adapter);
  recordDeviceErrors(device);
  const { WebGPUBackend } = await import("@tensorflow/tfjs-backend-webgpu");
  // The package registers itself where WebGPU is at hand, with a device whose errors nobody hears.
  if (tf.findBackendFactory("webgpu")) tf.removeBackend("webgpu");
  tf.registerBackend("webgpu", () => new WebGPUBackend(device as never, adapter.info as never), 0);
  const kind = software ? "CPU (a software adapter, no GPU)" : "GPU";
  const started = { device, words: `${kind}, WebGPU (${through}): ${name}`, lost: false };
  void device.lost.then(() => (started.lost = true));
  return started;
}

function openDevice(adapter: GpuAdapter): Promise<GpuDevice> {
  // The limits object has getters only: the numbers are copied one by one.
  const requiredLimits = Object.fromEntries(wanted.map((limit) => [limit, adapter.limits[limit]]));
  return adapter.requestDevice({ requiredLimits });
}

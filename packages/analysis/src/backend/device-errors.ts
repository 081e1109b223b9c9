import { ResiduaError } from "@residua/lens";
import type { GpuDevice } from "./webgpu-types.ts";

const heard: string[] = [];

/**
 * Listens to what a WebGPU device reports. An operation beyond the device's limits throws nothing: it answers zeros, and
 * only this event says so.
 */
export function recordDeviceErrors(device: GpuDevice): void {
  device.addEventListener("uncapturederror", (event) => {
    heard.push((event as Event & { error: Error }).error.message);
    // Dawn and Deno print it otherwise.
    event.preventDefault();
  });
  void device.lost.then(({ reason, message }) => heard.push(`the device was lost (${reason}): ${message}`));
}

/** Remembers where the errors stood. */
export interface DeviceWatch {
  /** Throws ResiduaError `backend_error` when the device has reported an error since the watch began. */
  check(): void;
}

/** Begins to watch: errors arrive before the answer that they spoil, so check after each read. */
export function watchDevice(): DeviceWatch {
  const began = heard.length;
  return {
    check() {
      if (heard.length === began) return;
      const [first] = (heard[began] as string).split("\n");
      throw new ResiduaError(
        "backend_error",
        `the device reported an error, so its answer was thrown away: ${first}. A tensor beyond the device's limits is ` +
          `the usual cause: use fewer rows at once, or another backend.`,
        { errors: heard.slice(began, began + 10) },
      );
    },
  };
}

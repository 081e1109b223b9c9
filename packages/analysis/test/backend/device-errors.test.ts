import * as tf from "@tensorflow/tfjs";
import { expect, test } from "vitest";
import { recordDeviceErrors, watchDevice } from "../../src/backend/device-errors.ts";
import { readTensor } from "../../src/backend/read-tensor.ts";
import { useBackend } from "../../src/backend/use-backend.ts";
import type { GpuDevice } from "../../src/backend/webgpu-types.ts";

/** What a device does when an operation goes beyond its limits: it dispatches an event, and the answer is zeros. */
function device() {
  let lose = (_: { reason: string; message: string }): void => undefined;
  const lost = new Promise<{ reason: string; message: string }>((resolve) => (lose = resolve));
  const target = Object.assign(new EventTarget(), { lost });
  recordDeviceErrors(target as unknown as GpuDevice);
  return {
    lose,
    report: (message: string) => {
      const event = new Event("uncapturederror", { cancelable: true });
      target.dispatchEvent(Object.assign(event, { error: new Error(message) }));
      return event;
    },
  };
}

test("an answer is thrown away when the device reported an error while it was computed", async () => {
  await useBackend({ prefer: "cpu" });
  const { numTensors } = tf.memory();
  const { report } = device();
  const spoilt = readTensor(() => {
    expect(report("Buffer size (2) exceeds the limit (1).\n - more").defaultPrevented).toBe(true);
    return tf.zeros([3]);
  });
  await expect(spoilt).rejects.toMatchObject({
    code: "backend_error",
    message: expect.stringMatching(
      /thrown away: Buffer size \(2\) exceeds the limit \(1\)\.\. A tensor beyond/,
    ) as string,
  });
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(await readTensor(() => tf.ones([1]))).toEqual(Float32Array.of(1));
});

test("a watch hears what came after it began, a lost device too", async () => {
  const { report, lose } = device();
  report("before");
  const watch = watchDevice();
  watch.check();
  lose({ reason: "unknown", message: "unplugged" });
  await Promise.resolve();
  expect(() => watch.check()).toThrow("the device was lost (unknown): unplugged");
  expect(() => watchDevice().check()).not.toThrow();
});

import * as tf from "@tensorflow/tfjs";
import { beforeEach, describe, expect, test } from "vitest";
import { onBackend, useBackend } from "../../src/backend/use-backend.ts";

describe("never changes the backend in mid-run", () => {
  beforeEach(() => useBackend({ prefer: "wasm" }));

  test("a computation under way holds it, until it has ended", async () => {
    let end = (): void => undefined;
    const run = onBackend(() => new Promise<void>((resolve) => (end = resolve)));
    await expect(useBackend({ prefer: "cpu" })).rejects.toMatchObject({
      code: "backend_in_use",
      message: expect.stringContaining("a computation is under way") as string,
    });
    expect(tf.getBackend()).toBe("wasm");
    expect((await useBackend()).name).toBe("wasm");
    end();
    await run;
    expect((await useBackend({ prefer: "cpu" })).name).toBe("cpu");
  });

  test("a computation that begins while a choice is under way waits for it", async () => {
    const choice = useBackend({ prefer: "cpu" });
    const seen = onBackend(() => Promise.resolve(tf.getBackend()));
    expect(await seen).toBe("cpu");
    expect((await choice).name).toBe("cpu");
  });

  test("a computation that fails lets it go", async () => {
    await expect(onBackend(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect((await useBackend({ prefer: "cpu" })).name).toBe("cpu");
  });

  test("tensors that live on it hold it, until they are disposed of", async () => {
    const { numTensors } = tf.memory();
    const x = tf.ones([2, 2]);
    await expect(useBackend({ prefer: "cpu" })).rejects.toThrow(
      `tfjs computes on wasm and ${numTensors === 0 ? "a tensor lives" : `${numTensors + 1} tensors live`} there`,
    );
    expect(await x.data()).toEqual(Float32Array.of(1, 1, 1, 1));
    x.dispose();
  });

  test("a backend that the caller has in use is kept, and the reasons say so", async () => {
    await useBackend({ prefer: "cpu" });
    await tf.setBackend("wasm");
    const x = tf.ones([1]);
    const backend = await useBackend();
    x.dispose();
    expect(backend.name).toBe("wasm");
    expect(backend.reasons[0]).toEqual({
      name: "node-gpu",
      reason: expect.stringMatching(/^not tried: tfjs computes on wasm and .* there$/) as string,
    });
  });
});

import * as fc from "fast-check";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { deviceMatrix } from "../../src/backend/device-matrix.ts";
import { useBackend } from "../../src/backend/use-backend.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

/** Small whole numbers: float32 sums of them are exact in any order. */
const matrix = (rows: number, columns: number, seed: number) =>
  Float32Array.from({ length: rows * columns }, (_, at) => ((at * 31 + seed * 17) % 11) - 5);

function product(a: Float32Array, b: Float32Array, [m, k, n]: [number, number, number]): number[] {
  return Array.from({ length: m * n }, (_, at) => {
    let sum = 0;
    for (let l = 0; l < k; l++) sum += a[Math.floor(at / n) * k + l]! * b[l * n + (at % n)]!;
    return sum;
  });
}

const turned = (values: Float32Array, rows: number, columns: number) =>
  Float32Array.from(
    { length: values.length },
    (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!,
  );

test("products split by any limits are the products", async () => {
  const sizes = fc.record({
    rows: fc.integer({ min: 1, max: 23 }),
    width: fc.integer({ min: 1, max: 9 }),
    columns: fc.integer({ min: 1, max: 7 }),
    /** In rows of the matrix. */
    room: fc.integer({ min: 1, max: 30 }),
    most: fc.integer({ min: 1, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ rows, width, columns, room, most }) => {
      const before = tf.memory().numTensors;
      const values = matrix(rows, width, 1);
      const right = matrix(width, columns, 2);
      const left = matrix(columns, rows, 3);
      const x = deviceMatrix(values, width, { bytes: 4 * width * room, rows: most });
      expect(x.blocks).toBe(Math.ceil(rows / Math.min(rows, room, most)));
      expect([...(await x.times(right, columns))]).toEqual(product(values, right, [rows, width, columns]));
      expect([...(await x.gather(left, columns))]).toEqual(product(left, values, [columns, rows, width]));
      expect([...(await x.gram())]).toEqual(
        product(turned(values, rows, width), values, [width, rows, width]),
      );
      x.dispose();
      expect(tf.memory().numTensors).toBe(before);
    }),
    { numRuns: 60 },
  );
});

test("no tensor is larger than the limits", async () => {
  const bytes = 4 * 40;
  const values = matrix(37, 8, 1);
  const x = deviceMatrix(values, 8, { bytes, rows: 1000 });
  const largest = tf.memory().numBytes;
  let most = 0;
  const kernel = tf.getKernel("BatchMatMul", "wasm");
  const size = ({ shape }: { shape: number[] }) => 4 * shape.reduce((total, length) => total * length, 1);
  tf.unregisterKernel("BatchMatMul", "wasm");
  tf.registerKernel({
    ...kernel,
    kernelFunc: (call) => {
      const out = kernel.kernelFunc(call) as tf.TensorInfo;
      most = Math.max(
        most,
        size(out),
        ...Object.values(call.inputs).map((input) => size(input as tf.TensorInfo)),
      );
      return out;
    },
  });
  try {
    await x.times(matrix(8, 60, 2), 60);
    await x.gather(matrix(60, 37, 2), 60);
    await x.gram();
  } finally {
    tf.unregisterKernel("BatchMatMul", "wasm");
    tf.registerKernel(kernel);
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(bytes);
  expect(tf.memory().numBytes).toBe(largest);
  x.dispose();
});

test("a row that fits no buffer is refused with the figures", () => {
  expect(() => deviceMatrix(new Float32Array(200), 100, { bytes: 396, rows: 9 })).toThrow(
    "A row of 100 numbers is more than the device holds in a buffer (396 bytes)",
  );
});

import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { differenceOfMeans } from "../../src/probes/difference-of-means.ts";
import { lda } from "../../src/probes/linear/lda.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { probeMatrix } from "../../src/probes/probe-matrix.ts";
import { streamedMatrix, type StreamedSource } from "../../src/probes/streamed-matrix.ts";
import { createRandom } from "../../src/statistics/random.ts";

const [rows, width] = [157, 6];
const random = createRandom(11, "streamed");
const values = Float32Array.from({ length: rows * width }, (_, at) => random.gaussian() + (at % width) * 30);
const labels = Uint8Array.from({ length: rows }, (_, row) =>
  Number(values[row * width]! + random.gaussian() > 0),
);
const training = { included: Uint8Array.from({ length: rows }, (_, row) => Number(row % 4 !== 0)) };

/** The rows in blocks of at most 20, whatever is asked for. */
const source: StreamedSource = {
  rows,
  hiddenSize: width,
  dtype: "float32",
  // eslint-disable-next-line @typescript-eslint/require-await
  async *layerBlocks() {
    for (let first = 0; first < rows; first += 20) {
      const count = Math.min(20, rows - first);
      yield { first, rows: count, numbers: values.slice(first * width, (first + count) * width) };
    }
  },
};

beforeAll(async () => {
  await tf.setBackend("cpu");
});

test("products, moments and samples are those of rows in memory", async () => {
  const whole = probeMatrix(values, width);
  const streamed = await streamedMatrix(source, 3);
  expect(streamed.center).toEqual(whole.center);
  const weights = [0, 1, 2].map(() => Float64Array.from({ length: width }, () => random.gaussian()));
  expect(await streamed.scores(weights)).toEqual(await whole.scores(weights));
  const residuals = [0, 1].map(() => Float64Array.from({ length: rows }, () => random.gaussian()));
  const sums = await whole.gather(residuals);
  (await streamed.gather(residuals)).forEach((own, k) =>
    own.forEach((sum, j) => expect(sum).toBeCloseTo(sums[k]![j]!, 3)),
  );
  const gram = await whole.gram();
  (await streamed.gram()).forEach((value, at) => expect(Math.abs(value - gram[at]!)).toBeLessThan(1e-3));
  expect(await streamed.sample(50)).toEqual(await whole.sample(50));
  expect(await streamed.sample(500)).toEqual(await whole.sample(500));
  const [own] = await streamed.moments([training]);
  const [theirs] = await whole.moments([training]);
  own!.mean.forEach((mean, j) => expect(mean).toBeCloseTo(theirs!.mean[j]!, 10));
  whole.dispose();
});

test.each([
  ["logistic", logistic({ C: [0.01, 1, 100], tolerance: 1e-10 })],
  ["difference of means", differenceOfMeans()],
])("%s fits what it fits in memory", async (_, probe) => {
  const columns = [{ training, labels }];
  const [whole, streamed] = [probeMatrix(values, width), await streamedMatrix(source, 3)];
  const fits = await probe.fit(whole, columns);
  whole.dispose();
  (await probe.fit(streamed, columns)).forEach(([fit], c) => {
    const [expected] = fits[c]!;
    fit!.weights.forEach((weight, j) => expect(Math.abs(weight - expected!.weights[j]!)).toBeLessThan(1e-4));
    expect(Math.abs(fit!.bias - expected!.bias)).toBeLessThan(2e-3);
  });
});

test("a probe that needs all rows at once is refused, and a number that is not finite is named by its row", async () => {
  const streamed = await streamedMatrix(source, 3);
  await expect(lda().fit(streamed, [{ training, labels }])).rejects.toMatchObject({
    code: "streamed",
    data: { layer: 3, rows },
  });
  const broken: StreamedSource = {
    ...source,
    async *layerBlocks(...asked) {
      for await (const block of source.layerBlocks(...asked)) {
        if (block.first === 40) (block.numbers as Float32Array)[8] = NaN;
        yield block;
      }
    },
  };
  await expect(streamedMatrix(broken, 3)).rejects.toThrow("Row 41, feature 2 is NaN");
});

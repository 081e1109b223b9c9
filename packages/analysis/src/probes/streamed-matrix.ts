import { deviceMatrix, type DeviceMatrix } from "../backend/device-matrix.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import { centeredRows, medianRow, middleRows } from "./centered-rows.ts";
import { packedScores } from "./packed-scores.ts";
import { ProbeError } from "./probe-error.ts";
import type { ProbeMatrix } from "./probe-matrix.ts";
import { momentSums } from "./training-moments.ts";

/** Numbers of a block as float32. */
const blockNumbers = 2 ** 22;

/** What blocks are read from. */
export type StreamedSource = Pick<RowSource, "rows" | "hiddenSize" | "dtype" | "layerBlocks">;

/**
 * A layer of which only a block of rows is in memory at a time: each product reads it from its files once. For probes that work by
 * products (difference of means, logistic regression); others ask for `values`, and are refused with ProbeError `streamed`.
 */
export async function streamedMatrix(source: StreamedSource, layer: number): Promise<ProbeMatrix> {
  const { rows, hiddenSize: width } = source;
  const blocks = { rows: Math.max(1, Math.floor(blockNumbers / width)) };

  /** Blocks as float32, less the center. */
  const read = async (
    center: Float64Array,
    use: (values: Float32Array, first: number) => void | Promise<void>,
  ) => {
    for await (const { numbers, first } of source.layerBlocks(layer, blocks)) {
      const values = new Float32Array(numbers.length);
      widenNumbers(numbers, source.dtype, values);
      await use(centeredRows(values, { width, center, first }), first);
    }
  };
  const sampled = async (center: Float64Array, most: number): Promise<Float32Array> => {
    const count = Math.min(rows, most);
    const sample = new Float32Array(count * width);
    let next = 0;
    await read(center, (values, first) => {
      for (; next < count; next++) {
        const row = Math.floor(((next + 0.5) * rows) / count) - first;
        if (row * width >= values.length) return;
        sample.set(values.subarray(row * width, (row + 1) * width), next * width);
      }
    });
    return sample;
  };

  const center = medianRow(await sampled(new Float64Array(width), middleRows), width);
  const eachBlock = (use: (block: DeviceMatrix, first: number) => Promise<void>) =>
    read(center, async (values, first) => {
      const block = deviceMatrix(values, width);
      try {
        await use(block, first);
      } finally {
        block.dispose();
      }
    });
  return {
    rows,
    width,
    center,
    get values(): Float32Array {
      const message =
        `Layer ${layer} has ${rows} rows of ${width} numbers, more than this process may hold, and is read in blocks: only difference ` +
        `of means and logistic regression are fitted so. Take one of these, or fewer rows with the option where.`;
      throw new ProbeError("streamed", message, { layer, rows, width });
    },
    async scores(weights) {
      const scores = weights.map(() => new Float32Array(rows));
      await eachBlock(async (block, first) => {
        const part = await packedScores(block, weights);
        part.forEach((own, k) => scores[k]!.set(own, first));
      });
      return scores;
    },
    async gather(residuals) {
      const sums = new Float64Array(residuals.length * width);
      await eachBlock(async (block, first) => {
        const packed = new Float32Array(residuals.length * block.rows);
        residuals.forEach((column, k) => {
          for (let row = 0; row < block.rows; row++) packed[k * block.rows + row] = column[first + row]!;
        });
        const part = await block.gather(packed, residuals.length);
        for (let at = 0; at < sums.length; at++) sums[at]! += part[at]!;
      });
      return residuals.map((_, k) => Float32Array.from(sums.subarray(k * width, (k + 1) * width)));
    },
    async gram() {
      const sums = new Float64Array(width * width);
      await eachBlock(async (block) => {
        const part = await block.gram();
        for (let at = 0; at < sums.length; at++) sums[at]! += part[at]!;
      });
      return Float32Array.from(sums);
    },
    async moments(sets) {
      const sums = momentSums(rows, width, sets);
      await read(center, (values, first) => sums.add(values, first));
      return sums.moments();
    },
    sample: (most) => sampled(center, most),
    dispose: () => undefined,
  };
}

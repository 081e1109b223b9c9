import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { linearSvm, multinomial, trainProbe } from "../../../src/index.ts";
import { plantedRows } from "../trained/planted-rows.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
});

const rows = plantedRows({ rows: 40 });

test.each([1e-8, 1e-14, 1e-30])(
  "C = %f: the weights are C · Σ slope · standardised row, not 0",
  async (C) => {
    const { values, width, labels } = rows;
    // At weights 0: slopes ±2 of the squared hinge, ½ of the log loss (of each of two score columns, whose difference is the score).
    for (const [probe, slope] of [
      [linearSvm({ C }), 2],
      [multinomial({ C }), 1],
    ] as const) {
      const expected = Array.from({ length: width }, (_, j) => {
        const column = labels.map((_, row) => values[row * width + j]!);
        const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
        const variance = column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length;
        const sum = column.reduce((all, value, row) => all + (value - mean) * (labels[row] ? 1 : -1), 0);
        return (slope * C * sum) / variance;
      });
      const scorer = (await trainProbe(rows, { probe })).toJSON().scorer as { weights: number[][] };
      scorer.weights[0]!.forEach((weight, j) =>
        expect(Math.abs(weight - expected[j]!)).toBeLessThan(1e-3 * Math.abs(expected[0]!)),
      );
    }
  },
);

import { beforeAll, expect, test } from "vitest";
import { useBackend } from "../../../src/backend/use-backend.ts";
import { discriminantAxes } from "../../../src/probes/linear/discriminant-axes.ts";
import { timesLines } from "../../../src/probes/linear/line-products.ts";
import { rowSpread } from "../../../src/probes/linear/row-spread.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { fixture, unpacked } from "../../results/views-fixture.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

/** Less their mean: where the origin lies is another question. */
function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

test.each(fixture.axes.map((one, i) => ({ ...one, i })))(
  "axes $i are SciPy's of scikit-learn's shrunk covariance, fitted on training rows alone",
  async ({ width, labels, train, values, points, ...rest }) => {
    const classes = Math.max(...labels) + 1;
    const matrix = probeMatrix(unpacked({ width, labels, ...rest }), width);
    const spread = rowSpread(Float64Array.from(train), labels, classes);
    const found = await discriminantAxes(matrix, spread, 2);
    expect(found.axes).toHaveLength(values.length);
    values.forEach((value, k) => {
      expect(found.values[k]! / value).toBeCloseTo(1, 5);
      const own = centred([...timesLines(matrix.values, width, found.axes[k]!)]);
      const reference = centred(points.map((point) => point[k]!));
      const sign = Math.sign(own.reduce((sum, one, row) => sum + one * reference[row]!, 0));
      own.forEach((one, row) => expect(sign * one).toBeCloseTo(reference[row]!, 4));
    });
    matrix.dispose();
  },
);

test("classes of one row each have no axes", async () => {
  const matrix = probeMatrix(Float32Array.of(1, 2, 3, 5), 2);
  await expect(
    discriminantAxes(matrix, rowSpread(Float64Array.of(1, 1), [0, 1], 2), 1),
  ).rejects.toMatchObject({
    code: "one_class",
  });
  matrix.dispose();
});

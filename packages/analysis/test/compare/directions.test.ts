import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { useBackend } from "../../src/backend/use-backend.ts";
import { cosineMatrix } from "../../src/compare/cosine-matrix.ts";
import { directionStability } from "../../src/compare/direction-stability.ts";
import { logistic } from "../../src/probes/logistic/logistic.ts";
import { cosineMatrixSchema } from "../../src/results/cosine-matrix.ts";
import { directionStabilitySchema } from "../../src/results/direction-stability.ts";
import { plantedRows } from "../sweep/planted-rows.ts";

beforeAll(() => useBackend({ prefer: "wasm" }));

describe("cosines of directions", () => {
  test("of three vectors, one of them zeros", () => {
    const matrix = cosineMatrix({
      x: { layer: 3, vector: [3, 0] },
      diagonal: { layer: 3, vector: new Float32Array([1, 1]) },
      none: { layer: 4, vector: [0, 0] },
    });
    expect(matrix.pairs).toEqual([
      { first: "x", second: "diagonal", cosine: expect.closeTo(Math.SQRT1_2, 12) as number },
      { first: "x", second: "none", cosine: null, reason: "a vector of zeros has no direction" },
      { first: "diagonal", second: "none", cosine: null, reason: "a vector of zeros has no direction" },
    ]);
    expect(matrix.directions[0]).toEqual({ name: "x", layer: 3, norm: 3 });
    expect(matrix.notes.join()).toMatch(/several layers/);
    expect(cosineMatrixSchema.parse(JSON.parse(JSON.stringify(matrix)))).toEqual(matrix);
  });

  test.each([
    // Of angles, which are uniform in the plane.
    [2, Math.cos((0.05 * Math.PI) / 2)],
    // Of heights on a ball, which are uniform by Archimedes.
    [3, 0.95],
    // scipy.stats.beta.ppf(0.95, 1 / 2, 575 / 2) ** 0.5
    [576, 0.0816352],
  ])("of random directions of width %i lie within ±%d in 95 of 100", (width, chance) => {
    const [a, b] = [0, 1].map((at) => ({
      vector: Array.from({ length: width }, (_, j) => Number(j === at)),
    }));
    expect(cosineMatrix({ a: a!, b: b! }).chance).toBeCloseTo(chance, 5);
  });

  test("lie within −1 and 1, and do not change with length", () => {
    const vector = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(vector, vector, fc.double({ min: 0.1, max: 50, noNaN: true }), (a, b, scale) => {
        const [one] = cosineMatrix({ a: { vector: a }, b: { vector: b } }).pairs;
        const [other] = cosineMatrix({ a: { vector: a.map((x) => x * scale) }, b: { vector: b } }).pairs;
        if (one!.cosine === null || other!.cosine === null) return;
        expect(Math.abs(one!.cosine)).toBeLessThanOrEqual(1);
        expect(other!.cosine).toBeCloseTo(one!.cosine, 6);
      }),
    );
  });

  test("of other widths, or of numbers that are not finite, are refused", () => {
    expect(() => cosineMatrix({ a: { vector: [1] }, b: { vector: [1, 2] } })).toThrow(
      /b has 2 numbers, and the first 1/,
    );
    expect(() => cosineMatrix({ a: { vector: [1] }, b: { vector: [Number.NaN] } })).toThrow(/b is NaN at 0/);
    expect(() => cosineMatrix({ a: { vector: [1] } })).toThrow(/at least two directions/);
  });
});

describe("stability of a direction", () => {
  const dataset = (strength: number) =>
    plantedRows({
      groups: 60,
      hiddenSize: 16,
      row: ({ row }) => ({ y: row % 2 }),
      signal: ({ feature, columns }) => (feature === 2 ? strength * (columns["y"] as number) : 0),
    });

  test("is high where the label is plain, and near chance where nothing is planted", async () => {
    const options = { label: "y", layer: 0, draws: 60 };
    const plain = await directionStability(dataset(4), options);
    expect(plain.toFull.value!).toBeGreaterThan(0.95);
    expect(plain.halves.value!).toBeGreaterThan(0.9);
    const none = await directionStability(dataset(0), options);
    expect(Math.abs(none.halves.value!)).toBeLessThan(none.chance);
    // Redrawn groups are most of the same rows: refits are like the full one even where there is nothing.
    expect(none.toFull.value!).toBeGreaterThan(none.halves.value! + 0.3);
    expect(directionStabilitySchema.parse(JSON.parse(JSON.stringify(plain)))).toEqual(plain);
    expect(await directionStability(dataset(4), options)).toEqual(plain);
  });

  test("of a probe with several strengths needs one of them", async () => {
    const probe = logistic({ C: [0.01, 0.1] });
    const options = { label: "y", layer: 0, draws: 10, probe };
    await expect(directionStability(dataset(2), options)).rejects.toThrow(/give C, one of them/);
    expect((await directionStability(dataset(2), { ...options, C: 0.1 })).C).toBe(0.1);
  });
});

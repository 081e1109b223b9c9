import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDirections, orthogonalTo } from "../../src/steering/combine-directions.ts";
import {
  direction,
  type Direction,
  negateDirection,
  normalizeDirection,
  scaleDirection,
} from "../../src/steering/direction.ts";
import { dot, norm } from "../../src/steering/norm.ts";
import { SteeringError } from "../../src/steering/steering-error.ts";
import { additionsAt, expectedChange } from "../../src/steering/proof/expected-change.ts";
import { steeringVector } from "../../src/steering/steering-vector.ts";
import { codeOf } from "./code-of.ts";

/** Made by fixtures/make-directions.py. */
const reference = JSON.parse(
  readFileSync(new URL("../../fixtures/directions.json", import.meta.url), "utf8"),
) as Record<"a" | "b" | "stream" | "add" | "scale" | "orthogonal" | "normalize", number[]> & {
  change: Record<"plain" | "matched" | "running", number[]>;
};
const at = (layer: number, vector: readonly number[] = [1, 2], name?: string) =>
  direction({ layer, vector, method: "m", name });
const a = at(3, reference.a, "a");
const b = at(3, reference.b, "b");

/** Relative error against NumPy in float64; float32 holds 24 bits. */
function error(values: ArrayLike<number>, expected: readonly number[]): number {
  return norm(Array.from(values, (value, i) => value - expected[i]!)) / norm(expected);
}

describe("arithmetic against NumPy", () => {
  it("adds and scales, each number rounded once", () => {
    expect([...addDirections(a, b).vector]).toEqual(reference.add);
    expect([...scaleDirection(a, -0.75).vector]).toEqual(reference.scale);
    expect([...negateDirection(a).vector]).toEqual(reference.a.map((value) => -value));
  });

  it("makes orthogonal and normalises within float32 rounding", () => {
    expect(error(orthogonalTo(a, b).vector, reference.orthogonal)).toBeLessThan(1e-7);
    expect(error(normalizeDirection(a).vector, reference.normalize)).toBeLessThan(1e-7);
  });

  it("S7: the change of a row is scale · v, and with normMatch scale · ‖h‖ · v / ‖v‖", () => {
    const stream = Float32Array.from(reference.stream);
    const vectors = (normMatch: boolean, scales: [number, number]) =>
      [reference.a, reference.b].map((row, i) =>
        steeringVector({ rows: { 3: row }, scale: scales[i] ?? 0, normMatch }),
      );
    const plain = additionsAt(vectors(false, [2.5, -0.5]), 3);
    expect(error(expectedChange(plain, stream), reference.change.plain)).toBeLessThan(1e-12);
    const matched = additionsAt(vectors(true, [0.5, -0.25]), 3);
    expect(error(expectedChange(matched, stream), reference.change.matched)).toBeLessThan(1e-12);
    expect(error(expectedChange(matched, stream, "running"), reference.change.running)).toBeLessThan(1e-7);
  });
});

describe("directions", () => {
  const finite = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 });
  const pair = fc
    .integer({ min: 2, max: 40 })
    .chain((n) => fc.tuple(...[0, 1].map(() => fc.array(finite, { minLength: n, maxLength: n }))))
    .map((vectors) => vectors.map((vector) => at(0, vector)) as [Direction, Direction]);

  it("S6: what is orthogonal to a vector of any norm has no part along it", () => {
    fc.assert(
      fc.property(pair, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), ([v, u], factor) => {
        fc.pre(norm(u.vector) > 1e-2 && norm(v.vector) > 1e-2);
        let rest: Direction;
        try {
          rest = orthogonalTo(v, scaleDirection(u, factor));
        } catch {
          return;
        }
        const along = Math.abs(dot(rest.vector, u.vector)) / (norm(u.vector) * norm(v.vector));
        expect(along).toBeLessThan(1e-6);
      }),
    );
  });

  it("adds in any order, undoes what it did, and normalises to 1", () => {
    fc.assert(
      fc.property(pair, ([v, u]) => {
        expect(addDirections(v, u).vector).toEqual(addDirections(u, v).vector);
        expect(negateDirection(negateDirection(v)).vector).toEqual(v.vector);
        if (norm(v.vector) > 1e-3) expect(norm(normalizeDirection(v).vector)).toBeCloseTo(1, 6);
      }),
    );
  });

  it("S10: directions of other layers are added only as was said", () => {
    const one = [at(1), at(2)];
    const two = [at(2, [10, 20]), at(3, [30, 40])];
    expect(codeOf(() => addDirections(one, two))).toBe("steering_layer");
    expect(codeOf(() => addDirections(at(1), at(2)))).toBe("steering_layer");
    expect(() => addDirections(one, two)).toThrow(
      'layers 1, 2 and the second 2, 3; allowed: the same layers, or say layers: "union"',
    );
    const layersOf = (list: Direction[]) => list.map(({ layer, vector }) => [layer, ...vector]);
    expect(layersOf(addDirections(one, two, { layers: "union" }))).toEqual([
      [1, 1, 2],
      [2, 11, 22],
      [3, 30, 40],
    ]);
    expect(layersOf(addDirections(one, two, { layers: "intersection" }))).toEqual([[2, 11, 22]]);
    expect(layersOf(addDirections(one, [at(2), at(1)]))).toEqual([
      [1, 2, 4],
      [2, 2, 4],
    ]);
    expect(codeOf(() => addDirections([at(1)], [at(2)], { layers: "intersection" }))).toBe("steering_layer");
    expect(codeOf(() => addDirections([at(1), at(1)], one))).toBe("steering_layer");
  });

  it.each([
    ["steering_width", () => addDirections(at(1), at(1, [1]))],
    ["steering_width", () => orthogonalTo(at(1), at(1, [1]))],
    ["steering_layer", () => orthogonalTo(at(1), at(2))],
    ["steering_layer", () => at(-1)],
    ["steering_layer", () => at(0.5)],
    ["steering_zero_vector", () => orthogonalTo(at(1), at(1, [0, 0]))],
    ["steering_zero_vector", () => orthogonalTo(at(1, [1 / 3, 2 / 3]), at(1, [3, 6]))],
    ["steering_zero_vector", () => normalizeDirection(at(1, [0, 0]))],
    ["steering_scale", () => scaleDirection(at(1), 0)],
    ["steering_scale", () => scaleDirection(at(1), Infinity)],
    ["steering_not_finite", () => scaleDirection(at(1), 1e300)],
    ["steering_not_finite", () => at(1, [NaN])],
    ["steering_rows", () => at(1, [])],
    ["direction_name", () => at(1, [1], "a b")],
    ["direction_name", () => at(1, [1], "../a")],
    ["direction_name", () => at(1, [1], "at")],
  ])("%s %#", (code, make) => {
    expect(codeOf(make)).toBe(code);
  });

  it.each([
    ["direction(): nothing given", () => direction(undefined as never)],
    ["method: nothing given", () => direction({ layer: 1, vector: [1] } as never)],
    ["method: a list of 0 given", () => direction({ layer: 1, vector: [1], method: [] } as never)],
    ["name: null given", () => direction({ layer: 1, vector: [1], method: "m", name: null } as never)],
    ["layer: nothing given", () => direction({ vector: [1], method: "m" } as never)],
    ["layer: 1000000000 given", () => at(1e9)],
    ["a Uint16Array given", () => direction({ layer: 1, vector: Uint16Array.of(1, 2), method: "m" })],
    ["normalised: nothing given", () => normalizeDirection(undefined as never)],
    ["normalised: an object given", () => normalizeDirection({ layer: 1, vector: [1] } as never)],
    ["scaled: a list of 2 given", () => scaleDirection([1, 2] as never, 2)],
    ["scaled: null given", () => negateDirection(null as never)],
    ["the second direction: nothing given", () => addDirections(a, undefined as never)],
    ["direction 0: 3 given", () => addDirections([3] as never, [a])],
    ["the second direction: an object given", () => orthogonalTo(a, {} as never)],
    ['layers: "foo" given', () => addDirections([a], [b], { layers: "foo" as never })],
  ])("%s", (says, make) => {
    expect(make).toThrow(SteeringError);
    expect(make).toThrow(says);
    expect(make).toThrow("allowed:");
  });

  it("says how it was found", () => {
    const found = orthogonalTo(at(1, [1, 2]), scaleDirection(at(1, [3, -1]), 2));
    expect(found.method).toBe("(m) orthogonal to (2 · (m))");
    expect(addDirections(a, b).name).toBeUndefined();
    expect(addDirections(a, at(3, reference.b, "a")).name).toBe("a");
  });
});

import { ResiduaError } from "@residua/client";
import { describe, expect, it } from "vitest";
import { direction } from "../../src/steering/direction.ts";
import { SteeringError } from "../../src/steering/steering-error.ts";
import { checkSteering, steeringNumbers } from "../../src/steering/steering-request.ts";
import {
  rowOf,
  type SteeringVector,
  steeringVector,
  type SteeringVectorOptions,
} from "../../src/steering/steering-vector.ts";

const codeOf = (make: () => unknown) => {
  try {
    make();
    return "taken";
  } catch (error) {
    return error instanceof SteeringError ? error.code : String(error);
  }
};
const made = (options: object) => codeOf(() => steeringVector(options as SteeringVectorOptions));

describe("steeringVector", () => {
  it("keeps copies, layers ascending, frozen", () => {
    const row = [1, 2, 3];
    const vector = steeringVector({ rows: { 16: row, 2: Float64Array.of(4, 5, 6) }, scale: -2 });
    row[0] = 99;
    expect(vector.layers).toEqual([2, 16]);
    expect(vector.rows.map((r) => [...r])).toEqual([
      [4, 5, 6],
      [1, 2, 3],
    ]);
    expect(vector).toMatchObject({ width: 3, scale: -2, normMatch: false, positions: null });
    expect(Object.isFrozen(vector)).toBe(true);
  });

  it.each([
    ["steering_rows", { rows: {} }],
    ["steering_rows", { rows: { 1: [] } }],
    ["steering_rows", { rows: { 1: [[]] }, positions: [0] }],
    ["steering_rows", { rows: null }],
    ["steering_rank", { rows: { 1: ["1"] } }],
    ["steering_layer", { rows: { 1.5: [1] } }],
    ["steering_layer", { rows: { "01": [1] } }],
    ["steering_width", { rows: { 1: [1, 2], 2: [1] } }],
    ["steering_not_finite", { rows: { 1: [1, NaN] } }],
    ["steering_not_finite", { rows: { 1: [1, Infinity] } }],
    ["steering_not_finite", { rows: { 1: [1, 1e39] } }],
    ["steering_scale", { rows: { 1: [1] }, scale: NaN }],
    ["steering_scale", { rows: { 1: [1] }, scale: -Infinity }],
    ["steering_scale", { rows: { 1: [1] }, scale: 1e300 }],
    ["steering_scale", { rows: { 1: [1] }, scale: -1e39 }],
    ["steering_scale", { rows: { 1: [1e-3] }, scale: 1e39 }],
    ["steering_scale", { rows: { 1: [1] }, scale: 1e-46 }],
    ["steering_scale", { rows: { 1: [1] }, scale: 1e300, normMatch: true }],
    ["steering_not_finite", { rows: { 1: [1, -2] }, scale: 2e38 }],
    ["steering_not_finite", { rows: { 1: [3.4e38] }, scale: 0.1 }],
    ["steering_not_finite", { rows: { 1: [[1], [-2]] }, positions: [1, 2], scale: 2e38 }],
    ["steering_not_finite", { rows: { 1: [1] }, scale: 1e37, normMatch: true }],
    ["taken", { rows: { 1: [1, -2] }, scale: 1e38 }],
    ["taken", { rows: { 1: [1e-40] }, scale: 1e-44 }],
    ["steering_zero_vector", { rows: { 1: [1e-50] }, normMatch: true }],
    ["steering_zero_vector", { rows: { 1: [0, 0] }, normMatch: true }],
    ["taken", { rows: { 1: [0, 0] } }],
    ["steering_positions", { rows: { 1: [1] }, positions: [] }],
    ["steering_positions", { rows: { 1: [1] }, positions: [-1] }],
    ["steering_positions", { rows: { 1: [1] }, positions: [0.5] }],
    ["steering_positions", { rows: { 1: [1] }, positions: [3, 3] }],
    ["taken", { rows: { 0: [1] }, positions: [0, 7] }],
    ["steering_zero_vector", { rows: { 1: [[1], [0]] }, positions: [1, 2], normMatch: true }],
    ["steering_width", { rows: { 1: [[1], [1, 2]] }, positions: [1, 2] }],
    ["taken", { rows: { 1: [[1], [2]], 2: [3] }, positions: [1, 2] }],
  ])("%s %j", (code, options) => {
    expect(made(options)).toBe(code);
  });

  it.each([
    ["[d]", { rows: Float32Array.of(1, 2) }],
    [
      "[L, d] without layers",
      {
        rows: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    ["0-D", { rows: { 1: 5 } }],
    ["a text", { rows: { 1: "12" } }],
    ["[L, 1, d] without positions", { rows: { 1: [[1, 2]] } }],
    [
      "[L, 2, d] for one position",
      {
        rows: {
          1: [
            [1, 2],
            [3, 4],
          ],
        },
        positions: [3],
      },
    ],
    ["[L, 1, d] for two positions", { rows: { 1: [[1, 2]] }, positions: [3, 4] }],
    ["4-D", { rows: { 1: [[[1, 2]]] }, positions: [3] }],
    ["bfloat16 bits", { rows: { 1: Uint16Array.of(16256, 16384) } }],
    ["bytes", { rows: { 1: [Int8Array.of(1, 2)] }, positions: [3] }],
    ["a row among numbers", { rows: { 1: [1, [2]] } }],
  ])("C24: %s is refused, and no dimension is guessed", (_, options) => {
    expect(made(options)).toBe("steering_rank");
  });

  it.each([-1, -2.5, "-0", "last"])("S5: layer %s is refused", (layer) => {
    expect(made({ rows: { [layer]: [1] } })).toBe("steering_layer");
    expect(made({ rows: { layer: Number(layer) - 1, vector: Float32Array.of(1), method: "m" } })).toBe(
      "steering_layer",
    );
  });

  it.each([
    [undefined, "(all)"],
    [null, "(all)"],
    [{ rows: { 1: [1] }, norm_match: true }, "norm_match: not a known field", "did you mean normMatch?"],
    [{ rows: { 1: [1] }, position_indices: [0] }, "position_indices: not a known field", "use positions"],
    [{ rows: { 1: [1] }, normMatch: "yes" }, 'normMatch: "yes"', "true or false"],
    [{ rows: { 1: [1] }, positions: "0" }, "positions: a string", "integers from 0"],
    [{ rows: { 1: [1] }, positions: null }, "positions: null", "integers from 0"],
    [{ rows: { 1: [1] }, positions: 3 }, "positions: 3", "integers from 0"],
    [{ rows: { 1: [1] }, scale: "2" }, "scale: a string", "a finite number"],
    [{ rows: new Map([[1, [1]]]) }, "rows: a Map given", "Object.fromEntries"],
    [{ rows: new Set([1]) }, "rows: an object given", "rows by layer"],
    [{}, "rows: nothing given", "rows by layer"],
  ])("%j: names the field, and what is allowed", (options, field, allowed = "an object") => {
    const make = () => steeringVector(options as never);
    expect(make).toThrow(ResiduaError);
    expect(make).toThrow(field);
    expect(make).toThrow(allowed);
  });

  it("takes directions, one for each layer", () => {
    const at = (layer: number) => direction({ layer, vector: [layer, 1], method: "m" });
    expect(steeringVector({ rows: at(3) })).toMatchObject({ layers: [3], width: 2 });
    expect(steeringVector({ rows: [at(3), at(1)] })).toMatchObject({ layers: [1, 3] });
    expect(made({ rows: [at(3), at(3)] })).toBe("steering_layer");
  });

  it("gives each position the row that was named with it, in ascending order", () => {
    const vector = steeringVector({
      rows: {
        1: [
          [1, 2],
          [3, 4],
        ],
        0: [7, 8],
      },
      positions: [9, 5],
    });
    expect(vector.positions).toEqual([5, 9]);
    expect(vector.rows.map((row) => [...row])).toEqual([
      [7, 8, 7, 8],
      [3, 4, 1, 2],
    ]);
    expect([...rowOf(vector, 1, 0)]).toEqual([3, 4]);
  });
});

describe("checkSteering", () => {
  const target = { hiddenSize: 4, layers: 5, positions: 10 };
  const vector = (options: Partial<SteeringVectorOptions> = {}) =>
    steeringVector({ rows: { 1: [1, 2, 3, 4] }, ...options });

  it("refuses what a server would silently not do", () => {
    expect(codeOf(() => checkSteering([vector()], target))).toBe("taken");
    expect(codeOf(() => checkSteering([vector({ rows: { 1: [1, 2, 3] } })], target))).toBe("steering_width");
    expect(codeOf(() => checkSteering([vector({ rows: { 1: [1] } })], target))).toBe("steering_width");
    expect(codeOf(() => checkSteering([vector({ rows: { 5: [1, 2, 3, 4] } })], target))).toBe(
      "steering_layer",
    );
    expect(codeOf(() => checkSteering([vector({ positions: [9] })], target))).toBe("taken");
    expect(codeOf(() => checkSteering([vector({ positions: [10] })], target))).toBe("steering_positions");
    const unknown = { hiddenSize: undefined, layers: undefined, positions: 10 };
    expect(codeOf(() => checkSteering([vector({ rows: { 99: [1] } })], unknown))).toBe("taken");
  });

  it("holds what the vectors of a layer add up to against bfloat16, of hand-made ones too", () => {
    const strong = (layer: number, scale: number, normMatch = false) =>
      vector({ rows: { [layer]: [1, 0, 0, 0] }, scale, normMatch });
    const code = (...vectors: SteeringVector[]) => codeOf(() => checkSteering(vectors, target));
    expect(code(strong(1, 2e38), strong(2, -2e38))).toBe("taken");
    expect(code(strong(1, 2e38), strong(1, -2e38))).toBe("steering_not_finite");
    expect(code(strong(1, 2e38), strong(1, 2e32, true))).toBe("steering_not_finite");
    expect(code({ ...vector(), rows: [Float32Array.of(1, NaN, 0, 0)] })).toBe("steering_not_finite");
    expect(code({ ...vector(), scale: NaN })).toBe("steering_scale");
  });

  it("holds the limits of 8 vectors and 2 097 152 numbers", () => {
    expect(
      codeOf(() =>
        checkSteering(
          Array.from({ length: 8 }, () => vector()),
          target,
        ),
      ),
    ).toBe("taken");
    expect(
      codeOf(() =>
        checkSteering(
          Array.from({ length: 9 }, () => vector()),
          target,
        ),
      ),
    ).toBe("steering_too_many");
    const wide = { hiddenSize: 16384, layers: 126, positions: 4096 };
    const rows = { 1: new Float32Array(16384).fill(1) };
    const fits = steeringVector({ rows, positions: Array.from({ length: 128 }, (_, i) => i) });
    expect(steeringNumbers(fits)).toBe(2_097_152);
    expect(codeOf(() => checkSteering([fits], wide))).toBe("taken");
    expect(codeOf(() => checkSteering([fits, steeringVector({ rows })], wide))).toBe("steering_too_large");
    const over = steeringVector({ rows, positions: Array.from({ length: 129 }, (_, i) => i) });
    expect(() => checkSteering([over], wide)).toThrow(
      "1 layers × 129 positions × 16384 = 2113536 numbers, over the 2097152",
    );
  });
});

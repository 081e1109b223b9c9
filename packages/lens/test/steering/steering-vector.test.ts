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
import { wireSteering } from "../../src/steering/wire-steering.ts";
import { decodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";

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

describe("wireSteering", () => {
  it("is [layers, hidden] for every position and [layers, positions, hidden] for some", async () => {
    const rows = { 3: [1, 2], 1: [5, 6] };
    const all = await wireSteering(steeringVector({ rows, scale: 0.5 }));
    expect(all).toMatchObject({ layer_indices: [1, 3], scale: 0.5, norm_match: false });
    expect(all).not.toHaveProperty("position_indices");
    expect(all.activations.shape).toEqual([2, 2]);
    expect([...tensorValues(await decodeTensor(all.activations))]).toEqual([5, 6, 1, 2]);

    const some = await wireSteering(steeringVector({ rows, normMatch: true, positions: [7, 0, 2] }));
    expect(some).toMatchObject({ norm_match: true, position_indices: [0, 2, 7] });
    expect(some.activations).toMatchObject({
      shape: [2, 3, 2],
      dtype: "float32",
      original_dtype: "torch.float32",
    });
    expect([...tensorValues(await decodeTensor(some.activations))]).toEqual([
      5, 6, 5, 6, 5, 6, 1, 2, 1, 2, 1, 2,
    ]);
  });

  it("sends rows that normMatch divides by a norm near 1e-6, or too large to square, with norm 1", async () => {
    /** What vLLM makes of it, in float32. */
    const share = async (row: number[]) => {
      const wire = await wireSteering(steeringVector({ rows: { 1: row }, normMatch: true }));
      const sent = tensorValues(await decodeTensor(wire.activations));
      const length = Math.fround(Math.sqrt(sent.reduce((sum, value) => Math.fround(sum + value * value), 0)));
      return Array.from(sent, (value) => value / (length + 1e-6));
    };
    for (const size of [1e-42, 1e-30, 1e-7, 1e-6, 1e-3, 0.09, 0.11, 1, 9e5, 1e7, 1e25, 1e38]) {
      const [x = 0, y = 0] = await share([3 * size, -2 * size]);
      // Numbers next to the smallest have few digits of their own.
      const within = size < 1e-38 ? 1e-2 : 1e-5;
      expect(Math.abs(x * Math.sqrt(13) - 3), `${size}`).toBeLessThan(3 * within);
      expect(Math.abs(y * Math.sqrt(13) + 2), `${size}`).toBeLessThan(3 * within);
    }
    const short = steeringVector({ rows: { 1: [1e-3, 0] } });
    const plain = await wireSteering(short);
    expect([...tensorValues(await decodeTensor(plain.activations))]).toEqual([Math.fround(1e-3), 0]);
    const each = {
      rows: {
        1: [
          [1e-7, 0],
          [4, 0],
        ],
      },
      positions: [2, 5],
      normMatch: true,
    };
    const rows = await wireSteering(steeringVector(each));
    expect([...tensorValues(await decodeTensor(rows.activations))]).toEqual([1, 0, 4, 0]);
  });

  it("is packed from a length on: as bfloat16 where that loses nothing, then in a zstd frame", async () => {
    const packed = async (row: Float32Array, from: number) => {
      const { activations } = await wireSteering(steeringVector({ rows: { 2: row } }), from);
      expect(tensorValues(await decodeTensor(activations))).toEqual(row);
      return { ...activations, data: activations.data.length };
    };
    const exact = Float32Array.from({ length: 1200 }, (_, i) => (i % 7) / 8 - 1);
    expect(await packed(exact, 6400)).toMatchObject({ dtype: "float32", data: 6400 });
    const bits = { dtype: "int16", original_dtype: "torch.bfloat16", shape: [1, 1200] };
    const short = await packed(exact, 6399);
    expect(short).toMatchObject({ ...bits, data: 3200 });
    expect(short).not.toHaveProperty("compression");
    const frame = await packed(exact, 3199);
    expect(frame).toMatchObject({ ...bits, compression: "zstd" });
    expect(frame.data).toBeLessThan(200);
    const wide = Float32Array.from({ length: 1200 }, (_, i) => (i % 3) / 3);
    expect(await packed(wide, 6399)).toMatchObject({ dtype: "float32", compression: "zstd" });
    // What does not shrink is sent as it is.
    const noise = Float32Array.from({ length: 16 }, (_, i) => Math.sin(i * 78.233) * 3);
    const sent = await packed(noise, 10);
    expect(sent).toMatchObject({ dtype: "float32", data: 88 });
    expect(sent).not.toHaveProperty("compression");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireSteeringVector } from "../../../src/requests/fields/wire-steering.ts";

const base64 = (values: ArrayBufferView) => Buffer.from(values.buffer).toString("base64");
const floats = (...values: number[]) => base64(Float32Array.from(values));
const tensor = (
  shape: number[],
  data = floats(...Array<number>(shape.reduce((a, b) => a * b, 1)).fill(1)),
) => ({
  data,
  dtype: "float32",
  shape,
});
const plain = { activations: tensor([1, 3]), layer_indices: [4] };

/** Where the problems of a vector are. */
const problems = (vector: object) => {
  const parsed = wireSteeringVector.safeParse(vector);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join("."));
};

describe("takes", () => {
  it.each([
    ["one row for every position", plain],
    ["rows for positions", { ...plain, activations: tensor([1, 2, 3]), position_indices: [0, 5] }],
    ["rows for the first positions", { ...plain, activations: tensor([1, 2, 3]), position_indices: null }],
    ["several layers", { activations: tensor([2, 3]), layer_indices: [9, 2] }],
    [
      "the bits of bfloat16",
      {
        ...plain,
        activations: { data: base64(Uint16Array.of(0x3f80, 0, 1)), dtype: "int16", shape: [1, 3] },
      },
    ],
    [
      "a zstd frame that states its size",
      {
        ...plain,
        activations: { ...tensor([1, 3]), data: "KLUv/SAMYQAAAACAPwAAgD8AAIA/", compression: "zstd" },
      },
    ],
  ])("%s", (_, vector) => {
    expect(problems(vector)).toEqual([]);
  });

  it("every finite number, and no other (property)", () => {
    const bits = fc.uint8Array({ minLength: 48, maxLength: 48 });
    fc.assert(
      fc.property(
        bits,
        fc.nat(11),
        fc.constantFrom(0, 0x7f800000, 0x7fc00000, 0xff800000),
        (bytes, at, odd) => {
          const values = new Float32Array(Uint8Array.from(bytes).buffer);
          if (odd !== 0) new Uint32Array(values.buffer)[at] = odd;
          const found = problems({ ...plain, activations: tensor([1, 12], base64(values)) });
          expect(found.length === 0).toBe(values.every(Number.isFinite));
        },
      ),
    );
  });

  it("looks at every number of a long tensor", () => {
    const values = new Float32Array(100_000);
    expect(problems({ ...plain, activations: tensor([1, 100_000], base64(values)) })).toEqual([]);
    for (const at of [0, 12_287, 12_288, 99_999]) {
      const odd = Float32Array.from(values);
      odd[at] = NaN;
      expect(problems({ ...plain, activations: tensor([1, 100_000], base64(odd)) })).toEqual([
        "activations.data",
      ]);
    }
  });
});

describe("refuses", () => {
  it.each([
    ["one dimension", { ...plain, activations: tensor([1]) }, "activations.shape"],
    ["four dimensions", { ...plain, activations: tensor([1, 1, 1, 3]) }, "activations.shape"],
    ["nothing", { ...plain, activations: tensor([1, 0]) }, "activations.shape.1"],
    ["more layers than rows", { ...plain, layer_indices: [4, 5] }, "layer_indices"],
    ["a layer twice", { activations: tensor([2, 3]), layer_indices: [4, 4] }, "layer_indices"],
    ["positions without rows of their own", { ...plain, position_indices: [0] }, "position_indices"],
    [
      "fewer positions than rows",
      { ...plain, activations: tensor([1, 2, 3]), position_indices: [0] },
      "position_indices",
    ],
    [
      "another type",
      { ...plain, activations: { ...tensor([1, 3]), dtype: "bfloat16" } },
      "activations.dtype",
    ],
    [
      "a type of all objects",
      { ...plain, activations: { ...tensor([1, 3]), dtype: "valueOf" } },
      "activations.dtype",
    ],
    [
      "another compression",
      { ...plain, activations: { ...tensor([1, 3]), compression: "gzip" } },
      "activations.compression",
    ],
    ["what is no base64", { ...plain, activations: tensor([1, 3], "!!!notbase64") }, "activations.data"],
    ["base64 without its padding", { ...plain, activations: tensor([1, 1], "AACAPw") }, "activations.data"],
    ["too few bytes", { ...plain, activations: tensor([1, 3], floats(1, 2)) }, "activations.data"],
    ["an infinity", { ...plain, activations: tensor([1, 3], floats(1, -Infinity, 2)) }, "activations.data"],
    [
      "bfloat16 that is no number",
      { ...plain, activations: { data: base64(Uint16Array.of(0x7fc0)), dtype: "int16", shape: [1, 1] } },
      "activations.data",
    ],
    [
      "float64 that is no number",
      { ...plain, activations: { data: base64(Float64Array.of(NaN)), dtype: "<f8", shape: [1, 1] } },
      "activations.data",
    ],
    [
      "float16 infinity",
      { ...plain, activations: { data: base64(Uint16Array.of(0xfc00)), dtype: "float16", shape: [1, 1] } },
      "activations.data",
    ],
    [
      "a zstd frame without its size",
      {
        ...plain,
        activations: { ...tensor([1, 3]), data: "KLUv/QBYYQAAAACAPwAAgD8AAIA/", compression: "zstd" },
      },
      "activations.data",
    ],
    [
      "what is no zstd frame",
      { ...plain, activations: { ...tensor([1, 3]), compression: "zstd" } },
      "activations.data",
    ],
  ])("%s", (_, vector, at) => {
    expect(problems(vector)).toEqual([at]);
  });
});

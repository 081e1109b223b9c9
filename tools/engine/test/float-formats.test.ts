import fc from "fast-check";
import { expect, test } from "vitest";
import { bf16ToFloat32, decodeFloats, f16ToFloat32, float32ToBf16 } from "../src/float-formats.ts";

const bitsOf = (value: number) => new Uint32Array(Float32Array.of(value).buffer)[0]!;
const anyFloat = fc.oneof(
  fc.float(),
  fc.integer({ min: 0, max: 0xffffffff }).map((word) => new Float32Array(Uint32Array.of(word).buffer)[0]!),
);

test("bfloat16 rounding takes the nearest of the two neighbours, ties to even", () => {
  fc.assert(
    fc.property(anyFloat, (value) => {
      const rounded = bf16ToFloat32(float32ToBf16(Float32Array.of(value)))[0]!;
      const down = bitsOf(value) & 0xffff0000;
      const [lower, upper] = [down, down + 0x10000].map((word) => ({
        even: ((word >>> 16) & 1) === 0,
        value: new Float32Array(Uint32Array.of(word).buffer)[0]!,
      })) as [{ even: boolean; value: number }, { even: boolean; value: number }];
      if (Number.isNaN(value)) expect(rounded).toBeNaN();
      else if (!Number.isFinite(lower.value)) expect(rounded).toBe(value);
      // The last step before infinity has the width of the one below it.
      else if (!Number.isFinite(upper.value)) {
        expect(rounded).toBe(Math.abs(value) < 2 ** 128 - 2 ** 119 ? lower.value : upper.value);
      } else {
        const [a, b] = [Math.abs(lower.value - value), Math.abs(upper.value - value)];
        const nearest = a < b ? lower : b < a ? upper : lower.even ? lower : upper;
        expect(rounded).toBe(nearest.value);
      }
    }),
    { numRuns: 2000 },
  );
});

test("bfloat16 bits survive widening and rounding", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff }), (bits) => {
      const [value] = bf16ToFloat32(Uint16Array.of(bits));
      const [back] = float32ToBf16(Float32Array.of(value!));
      expect(back).toBe(Number.isNaN(value) ? bits | 0x40 : bits);
    }),
  );
});

test.each([
  [1, 0x3f80],
  [-2, 0xc000],
  [1.00390625, 0x3f80],
  [1.01171875, 0x3f82],
  [3.4028235e38, 0x7f80],
  [-0, 0x8000],
  [Infinity, 0x7f80],
])("%d is %i", (value, bits) => {
  expect(float32ToBf16(Float32Array.of(value))[0]).toBe(bits);
});

test.each([
  [0x3c00, 1],
  [0xc000, -2],
  [0x7bff, 65504],
  [0x0400, 2 ** -14],
  [0x0001, 2 ** -24],
  [0x83ff, -1023 * 2 ** -24],
  [0x8000, -0],
  [0x7c00, Infinity],
  [0xfc00, -Infinity],
  [0x7e00, NaN],
  [0x3555, 0.333251953125],
])("half-precision bits %i are %d", (bits, value) => {
  expect(f16ToFloat32(Uint16Array.of(bits))[0]).toBe(value);
});

test("bytes are decoded from an odd address too", () => {
  const bytes = new Uint8Array([0xff, 0x80, 0x3f, 0x00, 0xc0]);
  expect([...decodeFloats(bytes.subarray(1), "BF16")]).toEqual([1, -2]);
  expect([...decodeFloats(Uint8Array.of(9, 0, 0, 0x80, 0x3f).subarray(1), "F32")]).toEqual([1]);
  expect([...decodeFloats(Uint8Array.of(9, 0, 0x3c).subarray(1), "F16")]).toEqual([1]);
});

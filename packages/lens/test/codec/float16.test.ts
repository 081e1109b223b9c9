import { describe, expect, it } from "vitest";
import { float32ToBf16 } from "../../src/codec/bfloat16.ts";
import { decompressZstd } from "../../src/codec/decompress-zstd.ts";
import { float16ToFloat32, float32ToFloat16 } from "../../src/codec/float16.ts";
import { encodeTensor } from "../../src/codec/tensor-codec.ts";
import { fixture } from "./codec-support.ts";

const every = Uint16Array.from({ length: 65_536 }, (_, i) => i);

/** float32 patterns, and what NumPy made of them as float16 and torch as bfloat16. */
function rounding() {
  const bytes = fixture("codec/rounding.bin").slice().buffer;
  const count = bytes.byteLength / 8;
  return {
    values: new Float32Array(bytes, 0, count),
    half: new Uint16Array(bytes, 4 * count, count),
    brain: new Uint16Array(bytes, 6 * count, count),
  };
}

/** Where the bits differ, but for the payload of a NaN, which each library keeps in its own way. */
function differing(got: Uint16Array, expected: Uint16Array, infinity: number): number[] {
  const nan = (bits: number) => (bits & 0x7fff) > infinity;
  return [...expected.keys()].filter((i) => {
    const [a, b] = [got[i] ?? 0, expected[i] ?? 0];
    return a !== b && !(nan(a) && nan(b));
  });
}

describe("float16", () => {
  it("reads all 65 536 patterns as NumPy does", async () => {
    const expected = new Uint32Array(
      (await decompressZstd(fixture("float16.f32.bin.zst"), 4 * 65_536)).slice().buffer,
    );
    const got = new Uint32Array(float16ToFloat32(every).buffer);
    const nan = (word: number) => (word & 0x7fff_ffff) > 0x7f80_0000;
    const wrong = every.filter((i) => got[i] !== expected[i] && !(nan(got[i] ?? 0) && nan(expected[i] ?? 0)));
    expect([...wrong]).toEqual([]);
  });

  it("writes all 65 536 patterns back, NaNs with their payload", () => {
    expect(float32ToFloat16(float16ToFloat32(every))).toEqual(every);
  });

  it("rounds as NumPy does: ties, subnormals, overflow", () => {
    const { values, half } = rounding();
    expect(values.length).toBeGreaterThan(4000);
    expect(differing(float32ToFloat16(values), half, 0x7c00)).toEqual([]);
  });
});

it("J13: bfloat16 is rounded as torch does: ties, subnormals, overflow, signalling NaN", () => {
  const { values, brain } = rounding();
  expect(differing(float32ToBf16(values), brain, 0x7f80)).toEqual([]);
});

describe("C28: a finite number that a narrow type cannot hold", () => {
  it.each([
    ["float16", 65_520, "number 1 is 65520, which float16 cannot hold (its largest is 65504)"],
    ["float16", -1e30, "number 1 is -1.0000000150474662e+30, which float16"],
    ["bfloat16", 3.4e38, "which bfloat16 cannot hold"],
  ] as const)("is refused as %s: %d", (dtype, value, message) => {
    expect(() => encodeTensor(Float32Array.of(1, value), [2], { dtype })).toThrow(message);
    expect(() => encodeTensor(Float32Array.of(1, value), [2], { dtype })).toThrow(
      expect.objectContaining({
        code: "tensor_overflow",
        data: expect.objectContaining({ index: 1 }) as object,
      }),
    );
  });

  it("is not one just below", () => {
    const encoded = encodeTensor(Float32Array.of(65_519.996, -65_504), [2], { dtype: "float16" });
    expect(encoded.data).toBe(Buffer.from(Uint16Array.of(0x7bff, 0xfbff).buffer).toString("base64"));
    expect(encodeTensor(Float32Array.of(Infinity, NaN), [2], { dtype: "float16" }).dtype).toBe("float16");
  });
});

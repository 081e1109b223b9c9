import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { float16ToFloat32 } from "../../../src/codec/float16.ts";
import { float32ToFloat16 } from "../../../src/formats/arrays/float32-to-float16.ts";
import { storedFloats, storeFloats } from "../../../src/formats/arrays/stored-floats.ts";

describe("float16", () => {
  it("every pattern comes back (NaNs with their payload)", () => {
    const every = Uint16Array.from({ length: 65_536 }, (_, i) => i);
    const back = float32ToFloat16(float16ToFloat32(every));
    // A signalling NaN becomes quiet.
    const quiet = every.map((bits) => ((bits & 0x7fff) > 0x7c00 ? bits | 0x200 : bits));
    expect(back).toEqual(quiet);
  });

  it("rounds to nearest, ties to even, at every size (property)", () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true, min: -65519, max: 65519 }), (value) => {
        const [bits = 0] = float32ToFloat16(Float32Array.of(value));
        const around = float16ToFloat32(Uint16Array.of(bits, bits - 1, bits + 1));
        const [here, ...others] = [...around].map((half) => Math.abs(half - value));
        for (const other of others) {
          if (Number.isNaN(other) || other > 1e5) continue;
          expect(here).toBeLessThanOrEqual(other);
          if (here === other && here !== 0) expect(bits & 1).toBe(0);
        }
      }),
      { numRuns: 3000 },
    );
    expect([
      ...float32ToFloat16(Float32Array.of(65519.99, 65520, -65520, 2 ** -25, 2 ** -25 * 1.01, -0)),
    ]).toEqual([0x7bff, 0x7c00, 0xfc00, 0, 1, 0x8000]);
  });
});

describe("stored floats", () => {
  it("C28: bfloat16 stays bits, and what float16 or float32 cannot hold is refused, never infinite", () => {
    const large = Float32Array.of(1, 1e5, Infinity);
    expect(storedFloats(storeFloats(large, [3], "bfloat16"))[1]).toBeCloseTo(1e5, -3);
    expect(() => storeFloats(large, [3], "float16", "row")).toThrow("number 1 of row is 100000");
    expect(() => storeFloats(Float32Array.of(3.4e38), [1], "bfloat16")).toThrow("bfloat16 cannot hold");
    expect(storedFloats(storeFloats(Float32Array.of(Infinity, NaN), [2], "float16"))).toEqual(
      Float32Array.of(Infinity, NaN),
    );
    const wide = {
      dtype: "float64",
      shape: [1],
      bytes: new Uint8Array(Float64Array.of(1e300).buffer),
    } as const;
    expect(() => storedFloats(wide)).toThrow("float32 cannot hold");
    expect(() => storedFloats({ ...wide, dtype: "int64" })).toThrow("holds int64");
  });

  it("are read at any offset of a buffer, and are copies", () => {
    const stored = storeFloats(Float32Array.of(1, -2.5), [2]);
    for (let offset = 0; offset < 8; offset++) {
      const shifted = new Uint8Array(8 + offset);
      shifted.set(stored.bytes, offset);
      expect(storedFloats({ ...stored, bytes: shifted.subarray(offset) })).toEqual(Float32Array.of(1, -2.5));
    }
    storedFloats(stored)[0] = 7;
    expect(storedFloats(stored)[0]).toBe(1);
  });
});

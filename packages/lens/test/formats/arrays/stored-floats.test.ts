import { describe, expect, it } from "vitest";
import { storedFloats, storeFloats } from "../../../src/formats/arrays/stored-floats.ts";

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

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bf16ToFloat32, float32ToBf16 } from "../../../src/codec/bfloat16.ts";
import { measureRow } from "../../../src/steering/proof/measure-row.ts";

const rounded = (values: ArrayLike<number>) => bf16ToFloat32(float32ToBf16(Float32Array.from(values)));

describe("measureRow", () => {
  it("bounds the error of two rounded rows, whatever they are", () => {
    const value = fc.float({ noNaN: true, noDefaultInfinity: true, min: -4096, max: 4096 });
    const row = fc.array(value, { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(row, row, fc.double({ min: 1e-3, max: 100, noNaN: true }), (stream, vector, scale) => {
        const cast = rounded(vector.map((one) => scale * one));
        const plain = rounded(stream);
        const steered = rounded(plain.map((one, i) => one + cast[i]!));
        const measured = measureRow(
          { plain, steered },
          Float64Array.from(vector, (one) => scale * one),
        );
        if (Number.isFinite(measured.allowed)) {
          expect(measured.relativeError).toBeLessThanOrEqual(measured.allowed);
          expect(Math.abs(measured.coefficient - 1)).toBeLessThanOrEqual(measured.allowed);
        }
      }),
    );
  });

  it("cannot tell where every number is too large for the vector", () => {
    const plain = new Float32Array(8).fill(20_000);
    const { allowed } = measureRow({ plain, steered: plain }, new Float64Array(8).fill(1));
    expect(allowed).toBe(Infinity);
  });
});

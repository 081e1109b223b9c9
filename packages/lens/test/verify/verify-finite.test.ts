import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { VerificationError } from "../../src/verify/verification-error.ts";
import { verifyFinite } from "../../src/verify/verify-finite.ts";

/** Where the first number is that is not finite, as the error says; -1 when it is taken. */
function found(dtype: "bfloat16" | "float16", bits: Uint16Array): number {
  try {
    verifyFinite({ dtype, shape: [1, 1, bits.length], bits }, [3]);
    return -1;
  } catch (error) {
    const { code, data } = error as VerificationError;
    expect(code).toBe("non_finite");
    expect(data).toMatchObject({ layer: 3, position: 0 });
    return data["index"] as number;
  }
}

describe("verifyFinite", () => {
  it("names the first NaN or infinity, whatever the length and the place in its buffer", () => {
    const pattern = fc.constantFrom(
      0,
      1,
      0x8000,
      0x3f80,
      0x7f7f,
      0xff7f,
      0x7bff,
      0x7c00,
      0x7f80,
      0xff80,
      0x7fc1,
    );
    const numbers = fc.oneof(fc.array(pattern, { maxLength: 9 }), fc.array(fc.nat(0xffff), { maxLength: 9 }));
    fc.assert(
      fc.property(numbers, fc.nat(3), fc.constantFrom("bfloat16", "float16"), (values, offset, dtype) => {
        const whole = new Uint16Array(offset + values.length + 2).fill(0x7fff);
        whole.set(values, offset);
        const bits = whole.subarray(offset, offset + values.length);
        const exponent = dtype === "bfloat16" ? 0x7f80 : 0x7c00;
        expect(found(dtype, bits)).toBe(values.findIndex((value) => (value & exponent) === exponent));
      }),
      { numRuns: 3000 },
    );
  });
});

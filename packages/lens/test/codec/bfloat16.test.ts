import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bf16ToFloat32, float32ToBf16 } from "../../src/codec/bfloat16.ts";

const every = Uint16Array.from({ length: 65_536 }, (_, i) => i);
const bitsOf = (values: Float32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length);

describe("bfloat16", () => {
  it("J13: all 65 536 patterns come back, NaNs with their payload", () => {
    expect(bitsOf(bf16ToFloat32(every))).toEqual(Uint32Array.from(every, (bits) => (bits << 16) >>> 0));
    expect(float32ToBf16(bf16ToFloat32(every))).toEqual(every);
  });

  it("J9: reads bits from any place and of any length", () => {
    for (let from = 0; from < 5; from++) {
      for (let length = 0; length < 7; length++) {
        const part = every.subarray(0x3f00 + from, 0x3f00 + from + length);
        const expected = Uint32Array.from(part, (bits) => (bits << 16) >>> 0);
        expect(bitsOf(bf16ToFloat32(part)), `${from}, ${length}`).toEqual(expected);
      }
    }
  });

  it("rounds to nearest, ties to even, overflows to infinity and keeps NaN a NaN", () => {
    const words = Uint32Array.of(
      0x3f80_8000,
      0x3f81_8000,
      0x3f80_8001,
      0x3f80_7fff,
      0x7f7f_ffff,
      0x7fff_8c22,
      0x7f80_0001,
      0xff80_0001,
      0x8000_0000,
      0x0000_8000,
      0xffff_ffff,
    );
    const bits = float32ToBf16(new Float32Array(words.buffer));
    expect([...bits]).toEqual([
      0x3f80, 0x3f82, 0x3f81, 0x3f80, 0x7f80, 0x7fff, 0x7fc0, 0xffc0, 0x8000, 0x0000, 0xffff,
    ]);
  });

  it("is the nearest of all bfloat16 (property)", () => {
    fc.assert(
      fc.property(
        fc.float({ min: Math.fround(1e-37), max: Math.fround(3e38), noNaN: true }),
        fc.boolean(),
        (size, minus) => {
          const value = minus ? -size : size;
          const [bits = 0] = float32ToBf16(Float32Array.of(value));
          const [below = 0, here = 0, above = 0] = bf16ToFloat32(Uint16Array.of(bits - 1, bits, bits + 1));
          const distance = Math.abs(value - here);
          expect(distance).toBeLessThanOrEqual(Math.abs(value - below));
          expect(distance).toBeLessThanOrEqual(Math.abs(value - above));
        },
      ),
      { numRuns: 3000 },
    );
  });
});

it("J13: no NaN becomes infinity or a number, whatever its bits (property)", () => {
  const written = (word: number) => float32ToBf16(new Float32Array(Uint32Array.of(word).buffer))[0] ?? 0;
  const stays = (word: number) => {
    const bits = written(word);
    expect(bits & 0x7fff, `0x${word.toString(16)} gave 0x${bits.toString(16)}`).toBeGreaterThan(0x7f80);
    expect(bits >>> 15).toBe(word >>> 31);
  };
  // The upper half of some has no bit of the fraction, and of others nothing but ones, which rounding would carry over.
  for (const word of [0x7f80_0001, 0xff80_0001, 0x7f80_ffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_8c22])
    stays(word);
  const fraction = fc.integer({ min: 1, max: 0x7f_ffff });
  fc.assert(
    fc.property(fraction, fc.boolean(), (bits, minus) =>
      stays(((minus ? 0xff80_0000 : 0x7f80_0000) | bits) >>> 0),
    ),
  );
});

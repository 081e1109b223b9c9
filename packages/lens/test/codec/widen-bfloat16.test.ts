import fc from "fast-check";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import wabt from "wabt";
import { bf16ToFloat32, widenByPairs } from "../../src/codec/bfloat16.ts";
import { widenByVectors, widenModule } from "../../src/codec/widen-bfloat16.ts";

/** Every pattern, in an order that no two pieces share. */
const patterns = (length: number): Uint16Array =>
  new Uint16Array(length).map((_, i) => Math.imul(i, 40_503) + (i >> 16));
const exact = (bits: Uint16Array): Int32Array => new Int32Array(bits.length).map((_, i) => bits[i]! << 16);
const wordsOf = (values: Float32Array): Int32Array =>
  new Int32Array(values.buffer, values.byteOffset, values.length);
const same = (one: Int32Array, other: Int32Array): boolean =>
  one.length === other.length && one.every((word, i) => word === other[i]);

describe("widening bfloat16 by vectors", () => {
  it("is what its text says", async () => {
    const text = await readFile(new URL("widen-bfloat16.wat", import.meta.url), "utf8");
    const assembler = await wabt();
    const { buffer } = assembler.parseWat("widen-bfloat16.wat", text, { simd: true }).toBinary({});
    expect(Buffer.from(buffer).toString("base64")).toBe(widenModule);
  });

  it("J13: gives each of the 65 536 patterns, whatever the piece's length and place", () => {
    for (const length of [1024, 1027, 65_536, 2 ** 17 - 1, 2 ** 17, 2 ** 17 + 1, 2 ** 18 + 9]) {
      const bits = patterns(length + 1).subarray(1);
      const words = new Int32Array(length + 2).fill(7);
      expect(widenByVectors(bits, words.subarray(1, -1))).toBe(true);
      expect(same(words.subarray(1, -1), exact(bits)), `${length}`).toBe(true);
      expect([words[0], words[length + 1]]).toEqual([7, 7]);
    }
  });

  it("leaves few numbers to the loop, and touches nothing", () => {
    const words = new Int32Array(1023).fill(7);
    expect(widenByVectors(new Uint16Array(1023), words)).toBe(false);
    expect(words.every((word) => word === 7)).toBe(true);
  });

  it("J9: widens bits that lie in the upper half of the memory, as the loop does (property)", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300_000 }), (length) => {
        const bits = patterns(length);
        for (const widen of [bf16ToFloat32, byPairs]) {
          const values = new Float32Array(length);
          const upper = new Uint16Array(values.buffer, 2 * length, length);
          upper.set(bits);
          widen(upper, values);
          expect(same(wordsOf(values), exact(bits)), widen.name).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

function byPairs(bits: Uint16Array, values: Float32Array): void {
  widenByPairs(bits, wordsOf(values));
}

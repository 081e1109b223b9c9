import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InexactNumber, narrowNumbers } from "../../src/convert/narrow-numbers.ts";
import { widenNumbers } from "../../src/dataset/widen-numbers.ts";

const wide = (...values: number[]) => ({ dtype: "float64" as const, values: Float64Array.from(values) });
const valueOf = (numbers: ReturnType<typeof narrowNumbers>, dtype: "bfloat16" | "float16"): number[] => {
  const values = new Float32Array(numbers.length);
  widenNumbers(numbers, dtype, values);
  return [...values];
};

describe("narrowing", () => {
  test("float64 is rounded once: a number just beyond a tie goes to its nearer side", () => {
    // Between 1 and 1 + 2^-7 the tie is 1 + 2^-8; float32 would round both neighbours of it to the tie, which goes to 1.
    const tie = 1 + 2 ** -8;
    const around = wide(tie - 2 ** -40, tie, tie + 2 ** -40, -(tie + 2 ** -40));
    const up = 1 + 2 ** -7;
    expect(valueOf(narrowNumbers(around, "bfloat16", { round: true }), "bfloat16")).toEqual([1, 1, up, -up]);
    const half = 1 + 2 ** -11;
    const beyond = narrowNumbers(wide(half + 2 ** -40), "float16", { round: true });
    expect(valueOf(beyond, "float16")).toEqual([1 + 2 ** -10]);
  });

  test("rounding picks a nearest neighbour (property)", () => {
    fc.assert(
      fc.property(fc.double({ min: -60_000, max: 60_000, noNaN: true }), (value) => {
        for (const dtype of ["bfloat16", "float16"] as const) {
          const bits = narrowNumbers(wide(value), dtype, { round: true }) as Uint16Array;
          const at = bits[0] as number;
          const around = valueOf(Uint16Array.of(at, at + 1, Math.max(0, at - 1)), dtype);
          const [error, ...others] = around.map((near) => Math.abs(near - value)) as [number, ...number[]];
          for (const other of others) if (Number.isFinite(other)) expect(error).toBeLessThanOrEqual(other);
        }
      }),
    );
  });

  test("without rounding only what the type holds; never infinity for a finite number; NaN stays NaN", () => {
    const narrow = (value: number, round: boolean) => () => narrowNumbers(wide(value), "float16", { round });
    expect(narrow(1.5, false)()).toEqual(Uint16Array.of(0x3e00));
    expect(narrow(0.1, false)).toThrow(InexactNumber);
    expect(narrow(1e6, true)).toThrow("1000000 is no float16");
    expect(narrow(Infinity, false)()).toEqual(Uint16Array.of(0x7c00));
    expect(valueOf(narrow(NaN, false)(), "float16")).toEqual([NaN]);
    expect(Object.is(valueOf(narrow(-0, false)(), "float16")[0], -0)).toBe(true);
  });
});

import { describe, expect, test } from "vitest";
import { widenBf16 } from "../../src/shards/bf16.ts";

describe("widenBf16", () => {
  test("keeps the bits of all 65536 patterns, NaN payloads included", () => {
    const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i);
    const values = new Float32Array(65_536);
    widenBf16(bits, values);
    expect(Array.from(new Uint32Array(values.buffer))).toEqual(
      Array.from(bits, (pattern) => pattern * 65_536),
    );
  });

  test("writes at an offset, also into a view that does not begin its buffer", () => {
    const values = new Float32Array(8).subarray(3);
    widenBf16(Uint16Array.of(0x3f80, 0xc040), values, 2);
    expect(Array.from(values)).toEqual([0, 0, 1, -3, 0]);
  });
});

import { expect, test } from "vitest";
import { blockLength, decodeTensor, tensorBytes } from "../src/tensor-formats.ts";
import { fixtureTensors } from "./support.ts";

test.each(["Q8_0", "Q4_0", "Q4_1", "Q6_K"] as const)(
  "%s: random blocks have the bits that gguf-py gives them",
  async (format) => {
    const fixture = await fixtureTensors("gguf-blocks.safetensors");
    const bytes = Uint8Array.from(fixture.get(`${format}.bytes`)!);
    const values = fixture.get(`${format}.values`) as Float32Array;
    expect(bytes.length).toBe(tensorBytes(format, values.length));
    expect(values.length).toBe(60 * blockLength(format));
    const bits = (floats: Float32Array) => [...new Uint32Array(floats.slice().buffer)];
    expect(bits(decodeTensor(bytes, format))).toEqual(bits(values));
  },
);

test("plain formats have no blocks", () => {
  expect([blockLength("BF16"), tensorBytes("BF16", 3), tensorBytes("F32", 3)]).toEqual([1, 6, 12]);
  expect([...decodeTensor(Uint8Array.of(0x80, 0x3f, 0x00, 0xc0), "BF16")]).toEqual([1, -2]);
});

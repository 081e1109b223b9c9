import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bf16ToFloat32, float32ToBf16 } from "../../src/codec/bfloat16.ts";
import { decodeTensor, encodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import { TensorError } from "../../src/codec/tensor-error.ts";
import { bf16, codeOf, frames, ramp, rampWire, valuesOf } from "./codec-support.ts";

describe("decodeTensor", () => {
  const six = [1, -2, 0.5, 3.25, 0, -0.125];

  it("reads what vllm-lens writes, in each dtype", async () => {
    const shape = [1, 2, 3];
    const zstd = { compression: "zstd", shape };
    expect(
      await valuesOf({
        ...zstd,
        dtype: "float32",
        original_dtype: "torch.float32",
        data: "KLUv/SAYwQAAAACAPwAAAMAAAAA/AABQQAAAAAAAAAC+",
      }),
    ).toEqual(six);
    expect(await valuesOf({ ...zstd, ...bf16, data: "KLUv/SAMYQAAgD8AwAA/UEAAAAC+" })).toEqual(six);
    expect(
      await valuesOf({
        ...zstd,
        dtype: "float16",
        original_dtype: "torch.float16",
        data: "KLUv/SAMYQAAADwAwAA4gEIAAACw",
      }),
    ).toEqual(six);
    expect(await valuesOf({ ...rampWire, data: frames.plain })).toEqual(ramp);
    expect(await valuesOf({ ...zstd, shape: [], dtype: "float32", data: "KLUv/SAEIQAAAABgQA==" })).toEqual([
      3.5,
    ]);
    expect(await valuesOf({ ...zstd, shape: [0, 4], dtype: "float32", data: "KLUv/SAAAQAA" })).toEqual([]);
  });

  it("reads the old form: no compression, no original_dtype, and NumPy's names", async () => {
    const data = Buffer.from(Float32Array.from(six).buffer).toString("base64");
    expect(await valuesOf({ data, dtype: "float32", shape: [6], extra: 1 })).toEqual(six);
    expect(await valuesOf({ data, dtype: "<f4", shape: [2, 3], compression: null })).toEqual(six);
    expect(await valuesOf({ ...bf16, data: frames.raw, shape: [24] })).toEqual(ramp);
  });

  it("takes bytes that the client decoded as they came, packed or not", async () => {
    const bytesOf = (name: string) => new Uint8Array(Buffer.from(frames[name] ?? "", "base64"));
    expect(await valuesOf({ ...bf16, data: bytesOf("raw"), shape: [24] })).toEqual(ramp);
    expect(await valuesOf({ ...rampWire, data: bytesOf("plain") })).toEqual(ramp);
    const odd = new Uint8Array(49).subarray(1);
    odd.set(bytesOf("raw"));
    expect(await valuesOf({ ...bf16, data: odd, shape: [24] })).toEqual(ramp);
    expect(await codeOf({ ...bf16, data: bytesOf("raw"), shape: [23] })).toBe("tensor_size");
    expect(await codeOf({ ...bf16, data: bytesOf("raw"), shape: [25] })).toBe("tensor_size");
    expect(await codeOf({ ...rampWire, data: new Uint8Array(3) })).toMatch(/^tensor_/);
  });

  it("takes every lawful frame", async () => {
    for (const name of ["plain", "no content size", "checksum", "two frames", "skippable before"]) {
      expect(await valuesOf({ ...rampWire, data: frames[name] }), name).toEqual(ramp);
    }
  });

  it("refuses each kind of broken tensor with its own code", async () => {
    const plain = Buffer.from(frames.plain ?? "", "base64");
    const broken = (change: (bytes: Buffer) => Buffer) => ({
      ...rampWire,
      data: change(Buffer.from(plain)).toString("base64"),
    });
    const poke = (at: number, value: number) => broken((bytes) => (bytes.writeUInt8(value, at), bytes));
    for (let length = 1; length < plain.byteLength; length++) {
      expect(await codeOf(broken((bytes) => bytes.subarray(0, length))), `cut at ${length}`).toBe(
        "tensor_truncated",
      );
    }
    expect(await codeOf(broken(() => Buffer.alloc(0)))).toBe("tensor_size");
    expect(await codeOf(poke(5, 0x2f))).toBe("tensor_size"); // a content size that lies
    expect(await codeOf({ ...rampWire, shape: [2, 3, 5], data: frames.plain })).toBe("tensor_size");
    expect(await codeOf({ ...rampWire, shape: [2, 3, 3], data: frames.plain })).toBe("tensor_size");
    expect(await codeOf({ ...rampWire, shape: [2, 3, 3], data: frames["no content size"] })).toBe(
      "tensor_size",
    );
    expect(await codeOf({ ...rampWire, shape: [2, 3, 5], data: frames["no content size"] })).toBe(
      "tensor_size",
    );
    expect(await codeOf(poke(0, 0))).toBe("tensor_frame");
    expect(await codeOf(poke(6, 0x87))).toBe("tensor_frame"); // a block of the reserved type
    expect(await codeOf(broken((bytes) => Buffer.concat([bytes, Buffer.from("abcd")])))).toBe("tensor_frame");
    const checked = Buffer.from(frames.checksum ?? "", "base64");
    checked.writeUInt8(checked.readUInt8(20) ^ 1, 20);
    expect(await codeOf({ ...rampWire, data: checked.toString("base64") })).toBe("tensor_frame");
    for (const data of [
      "KLUv",
      "KLUv/SAM!QAAgD8AwAA/UEAAAAC+",
      "KLUv_SAMYQAAgD8AwAA_UEAAAAC-",
      "KLUv /SAMYQAAgD8AwAA/UEAAAAC",
      "KLUv/SAMY==AgD8AwAA/UEAAAAC+",
      "abc",
    ]) {
      expect(["tensor_base64", "tensor_truncated"]).toContain(
        await codeOf({ ...rampWire, shape: [1, 2, 3], data }),
      );
    }
    expect(await codeOf({ ...rampWire, data: "KLUv/SAM!QAAgD8AwAA/UEAAAAC+" })).toBe("tensor_base64");
    expect(await codeOf({ ...rampWire, compression: "lz4", data: frames.plain })).toBe("tensor_compression");
    expect(await codeOf({ ...rampWire, original_dtype: undefined, data: frames.plain })).toBe("tensor_dtype");
    expect(await codeOf({ ...rampWire, dtype: "int64", data: frames.plain })).toBe("tensor_dtype");
    expect(await codeOf({ ...rampWire, shape: [2 ** 20, 2 ** 20], data: frames.plain })).toBe("tensor_shape");
    expect(await codeOf({ ...rampWire, shape: [2, -3, 4], data: frames.plain })).toBe("tensor_form");
    for (const odd of [null, 3, "x", {}, { data: 1 }]) expect(await codeOf(odd)).toBe("tensor_form");
  });

  it("does not allocate what a header declares", async () => {
    const plain = Buffer.from(frames.plain ?? "", "base64");
    const size = Buffer.alloc(4);
    size.writeUInt32LE(2 ** 30);
    const lying = Buffer.concat([plain.subarray(0, 4), Buffer.of(0xa0), size, plain.subarray(6)]);
    const wire = { ...rampWire, data: lying.toString("base64") };
    await expect(decodeTensor(wire)).rejects.toThrow("declares 1073741824 bytes");
  });

  it("does not let a small frame become a large one", async () => {
    const bomb = frames["bomb of 64 MiB without content size"] ?? "";
    const before = process.memoryUsage();
    expect(await codeOf({ ...rampWire, shape: [1024, 4], data: bomb })).toBe("tensor_size");
    const after = process.memoryUsage();
    expect(after.external + after.arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(
      16 * 2 ** 20,
    );
  });
});

describe("encodeTensor", () => {
  it("comes back bit for bit from any offset (property)", async () => {
    const floats = fc.array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(floats, fc.nat(3), async (numbers, offset) => {
        const buffer = new ArrayBuffer(4 * (offset + numbers.length));
        const values = new Float32Array(buffer, 4 * offset, numbers.length);
        values.set(numbers);
        const wire = encodeTensor(values, [1, numbers.length]);
        expect(wire).toMatchObject({
          dtype: "float32",
          original_dtype: "torch.float32",
          shape: [1, numbers.length],
        });
        expect(wire).not.toHaveProperty("compression");
        const back = tensorValues(await decodeTensor(wire));
        expect(back.every((value, i) => Object.is(value, values[i]))).toBe(true);
      }),
    );
  });

  it("refuses a shape that does not hold the values", () => {
    expect(() => encodeTensor(new Float32Array(5), [2, 3])).toThrow(TensorError);
  });
});

describe("tensorValues", () => {
  it("copies, so that no row keeps or changes the tensor", async () => {
    const tensor = await decodeTensor({ ...bf16, data: frames.raw, shape: [24] });
    const row = tensorValues(tensor, 4, 8);
    expect(row.buffer.byteLength).toBe(16);
    row.fill(99);
    expect([...tensorValues(tensor, 4, 8)]).toEqual(ramp.slice(4, 8));
  });
});

it("bf16 of decoded bf16 is itself", () => {
  expect(bf16ToFloat32(float32ToBf16(Float32Array.from(ramp)))).toEqual(Float32Array.from(ramp));
});

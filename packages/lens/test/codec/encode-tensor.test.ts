import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressTensor } from "../../src/codec/compress-tensor.ts";
import { decodeTensor, encodeTensor, tensorValues } from "../../src/codec/tensor-codec.ts";
import { codeOf, fixture, ramp, valuesOf } from "./codec-support.ts";

interface Recorded {
  form: string;
  tensor?: { data: string; dtype: string; shape: number[]; compression?: "zstd" };
  status: number;
  sha256: string;
}

const { recorded } = JSON.parse(fixture("codec/steering-forms.json").toString()) as { recorded: Recorded[] };
/** The vector that the recording was made with. */
const steered = Float32Array.from({ length: 576 }, (_, k) => ((k * 37) % 17) / 8 - 1);

describe("encodeTensor", () => {
  it("S14: writes the forms that a real server took and made the same capture of", async () => {
    const [plain, ...forms] = recorded;
    expect(forms.map(({ form }) => form)).toEqual(
      ["float32", "bfloat16", "float16"].flatMap((dtype) => [dtype, `${dtype} zstd`]),
    );
    for (const { form, tensor, status, sha256 } of forms) {
      const dtype = form.split(" ")[0] as "float32";
      const raw = encodeTensor(steered, [1, 576], { dtype });
      if (tensor?.compression === undefined) expect(raw, form).toEqual(tensor);
      else expect({ ...(await compressTensor(raw)), data: "" }).toEqual({ ...tensor, data: "" });
      expect(await valuesOf(tensor), form).toEqual([...steered]);
      expect([status, sha256], form).toEqual([200, forms[0]?.sha256]);
      expect(sha256).not.toBe(plain?.sha256);
    }
  });

  it("comes back in every form, from any offset, as near as its type can hold (property)", async () => {
    const floats = fc.array(fc.float({ min: -1000, max: 1000, noNaN: true }), {
      minLength: 1,
      maxLength: 40,
    });
    const dtypes = fc.constantFrom("float32" as const, "bfloat16" as const, "float16" as const);
    await fc.assert(
      fc.asyncProperty(floats, dtypes, fc.nat(3), fc.boolean(), async (numbers, dtype, offset, zstd) => {
        const buffer = new ArrayBuffer(4 * (offset + numbers.length));
        const values = new Float32Array(buffer, 4 * offset, numbers.length);
        values.set(numbers);
        const raw = encodeTensor(values, [1, numbers.length], { dtype });
        const tensor = await decodeTensor(zstd ? await compressTensor(raw) : raw);
        expect(tensor.dtype).toBe(dtype);
        // Half a step of the subnormals.
        const least = { float32: 0, bfloat16: 2 ** -134, float16: 2 ** -25 }[dtype];
        const relative = { float32: 0, bfloat16: 2 ** -8, float16: 2 ** -11 }[dtype];
        for (const [i, back] of tensorValues(tensor).entries()) {
          const value = values[i] ?? 0;
          expect(Math.abs(back - value)).toBeLessThanOrEqual(Math.max(relative * Math.abs(value), least));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("compressTensor", () => {
  it("leaves a packed one as it is, and refuses what is no base64", async () => {
    const packed = await compressTensor(encodeTensor(Float32Array.from(ramp), [4, 6]));
    expect(packed).toMatchObject({ compression: "zstd", dtype: "float32", shape: [4, 6] });
    expect(await compressTensor(packed)).toBe(packed);
    await expect(compressTensor({ ...packed, compression: null, data: "?" })).rejects.toMatchObject({
      code: "tensor_base64",
    });
  });
});

describe("what dtype and original_dtype mean together", () => {
  const float32 = (...values: number[]) => Buffer.from(Float32Array.of(...values).buffer).toString("base64");

  it("float32 of torch.float16 is float16 again", async () => {
    const wire = { data: float32(1 / 3, -2, 65_504), dtype: "float32", shape: [3] };
    const tensor = await decodeTensor({ ...wire, original_dtype: "torch.float16" });
    expect(tensor).toMatchObject({ dtype: "float16", bits: Uint16Array.of(0x3555, 0xc000, 0x7bff) });
    expect((await decodeTensor(wire)).dtype).toBe("float32");
    const large = { ...wire, data: float32(1, 2, 70_000), original_dtype: "torch.float16" };
    expect(await codeOf(large)).toBe("tensor_overflow");
  });

  it.each([
    ["int16", undefined],
    ["int16", "torch.int16"],
    ["float16", "torch.bfloat16"],
    ["float32", "torch.bfloat16"],
    ["float32", "torch.float64"],
    ["float64", "torch.float64"],
    ["bfloat16", "torch.bfloat16"],
    ["constructor", undefined],
    ["float32 torch.float32", undefined],
  ])("%s of %s is refused", async (dtype, original) => {
    expect(await codeOf({ data: "AAAAAAAAAAA=", dtype, original_dtype: original, shape: [2] })).toBe(
      "tensor_dtype",
    );
  });
});

it("J9: data at any offset of a larger buffer is read", async () => {
  for (const dtype of ["float32", "bfloat16"] as const) {
    const wire = encodeTensor(Float32Array.from(ramp), [24], { dtype });
    const bytes = Buffer.from(wire.data, "base64");
    for (let offset = 0; offset < 8; offset++) {
      const pool = Buffer.alloc(offset + bytes.byteLength + 8);
      bytes.copy(pool, offset);
      const data: Uint8Array = pool.subarray(offset, offset + bytes.byteLength);
      expect(await valuesOf({ ...wire, data }), `${dtype} at ${offset}`).toEqual(ramp);
    }
  }
});

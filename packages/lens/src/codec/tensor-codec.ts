import { Buffer } from "node:buffer";
import type { WireTensor } from "@residua/client";
import * as z from "zod";
import { alignedBytes } from "./aligned-bytes.ts";
import { bf16ToFloat32 } from "./bfloat16.ts";
import { decodeBase64 } from "./decode-base64.ts";
import { decompressZstd } from "./decompress-zstd.ts";
import { float16ToFloat32 } from "./float16.ts";
import { TensorError } from "./tensor-error.ts";

/** A decoded tensor, C order. Narrow types stay bits until they are read. */
export type Tensor =
  | { readonly dtype: "bfloat16" | "float16"; readonly shape: readonly number[]; readonly bits: Uint16Array }
  | { readonly dtype: "float32"; readonly shape: readonly number[]; readonly values: Float32Array };

/** What a wire tensor says of itself, checked, before its bytes are touched. */
export interface TensorHead {
  dtype: Tensor["dtype"];
  shape: number[];
  numbers: number;
  bytes: number;
  compression: "zstd" | undefined;
  /** Base64, or the bytes that the client decoded as they arrived (answers over 16 MiB). */
  data: string | Uint8Array;
}

const wireSchema = z.looseObject({
  data: z.union([z.string(), z.instanceof(Uint8Array)], "expected base64 or bytes"),
  dtype: z.string(),
  original_dtype: z.string().nullish(),
  shape: z.array(z.int().nonnegative()),
  compression: z.string().nullish(),
});

/** 1 GiB. A capture has at most 64 MiB as bfloat16. */
const largestTensor = 2 ** 30;

/** Reads shape, dtype and compression. Throws TensorError: `tensor_form`, `tensor_shape`, `tensor_dtype`, `tensor_compression`. */
export function tensorHead(wire: unknown): TensorHead {
  const parsed = wireSchema.safeParse(wire);
  if (!parsed.success) {
    const at = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "tensor"}: ${message}`);
    throw new TensorError(
      "tensor_form",
      `not a tensor: ${at.join("; ")}; expected {data, dtype, shape, original_dtype?, compression?}`,
    );
  }
  const { data, shape, compression } = parsed.data;
  const dtype = dtypeOf(parsed.data.dtype, parsed.data.original_dtype ?? undefined);
  const numbers = shape.reduce((a, b) => a * b, 1);
  const bytes = numbers * (dtype === "float32" ? 4 : 2);
  if (!(bytes <= largestTensor)) {
    throw new TensorError(
      "tensor_shape",
      `shape ${shape.join(" × ")} is ${bytes} bytes, over the ${largestTensor} a tensor may have`,
      { shape },
    );
  }
  if (compression !== undefined && compression !== null && compression !== "zstd") {
    throw new TensorError(
      "tensor_compression",
      `compression ${JSON.stringify(compression)} is not known; expected "zstd" or none`,
    );
  }
  return { dtype, shape, numbers, bytes, compression: compression ?? undefined, data };
}

/**
 * Wire tensor → bits or values: base64, then zstd where `compression` says so, then little-endian bytes of `dtype`.
 * The decompressed size is compared with the shape before anything is allocated. Throws TensorError.
 */
export async function decodeTensor(wire: unknown): Promise<Tensor> {
  const { dtype, shape, numbers, bytes, compression, data } = tensorHead(wire);
  // zstd at its worst adds 1/256 and a header; anything longer cannot be this tensor and is not decoded.
  const most = compression === "zstd" ? bytes + (bytes >> 7) + 1024 : bytes;
  const isText = typeof data === "string";
  if (data.length > (isText ? Math.ceil(most / 3) * 4 : most)) {
    throw new TensorError(
      "tensor_size",
      `data has ${data.length} ${isText ? "characters" : "bytes"}; shape ${shape.join(" × ")} of ${dtype} needs ${bytes} bytes`,
      { shape, bytes },
    );
  }
  const packed = isText ? decodeBase64(data) : data;
  const raw = compression === "zstd" ? await decompressZstd(packed, bytes) : packed;
  if (raw.byteLength !== bytes) {
    throw new TensorError(
      "tensor_size",
      `data holds ${raw.byteLength} bytes; shape ${shape.join(" × ")} of ${dtype} needs ${bytes}`,
      { shape, bytes },
    );
  }
  const { buffer, byteOffset } = alignedBytes(raw, dtype === "float32" ? 4 : 2);
  return dtype === "float32"
    ? { dtype, shape, values: new Float32Array(buffer, byteOffset, numbers) }
    : { dtype, shape, bits: new Uint16Array(buffer, byteOffset, numbers) };
}

/** float32 values → wire tensor: raw little-endian bytes, not compressed, which every server version reads. */
export function encodeTensor(values: Float32Array, shape: readonly number[]): WireTensor {
  const numbers = shape.reduce((a, b) => a * b, 1);
  if (numbers !== values.length) {
    throw new TensorError(
      "tensor_shape",
      `shape ${shape.join(" × ")} is ${numbers} numbers, ${values.length} given`,
      { shape },
    );
  }
  const data = Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
  return { data, dtype: "float32", original_dtype: "torch.float32", shape: [...shape] };
}

/** All values of a tensor as float32, copied. */
export function tensorValues(tensor: Tensor, start = 0, end?: number): Float32Array {
  if (tensor.dtype === "float32") return tensor.values.slice(start, end);
  const bits = tensor.bits.subarray(start, end);
  return tensor.dtype === "bfloat16" ? bf16ToFloat32(bits) : float16ToFloat32(bits);
}

function dtypeOf(dtype: string, original: string | undefined): Tensor["dtype"] {
  if (dtype === "int16" && original === "torch.bfloat16") return "bfloat16";
  if (dtype === "float16" || dtype === "<f2") return "float16";
  if (dtype === "float32" || dtype === "<f4") return "float32";
  const given = `dtype ${JSON.stringify(dtype)} with original_dtype ${JSON.stringify(original)}`;
  throw new TensorError(
    "tensor_dtype",
    `${given} cannot be read as activations; expected int16 of torch.bfloat16, float16 or float32`,
    { dtype, original },
  );
}

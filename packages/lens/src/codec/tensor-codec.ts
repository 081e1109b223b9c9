import { Buffer } from "node:buffer";
import type { WireTensor } from "@residua/client";
import * as z from "zod";
import { checkTensorArguments } from "../arguments/check-arguments.ts";
import { bits, fields, floats, kind, listOf, oneOf, optional, whole } from "../arguments/kinds.ts";
import { alignedBytes } from "./aligned-bytes.ts";
import { bf16ToFloat32, float32ToBf16 } from "./bfloat16.ts";
import { roomFor } from "./check-room.ts";
import { decodeBase64 } from "./decode-base64.ts";
import { decompressZstd } from "./decompress-zstd.ts";
import { firstOverflow } from "./first-overflow.ts";
import { float16ToFloat32, float32ToFloat16 } from "./float16.ts";
import { readDtype } from "./tensor-dtype.ts";
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
  /** The wire carries float32, and the tensor was float16: its numbers are rounded to that. */
  rounded: boolean;
  /** Base64, or the bytes that the client decoded as they arrived (answers over 16 MiB); undefined: behind a handle. */
  data: string | Uint8Array | undefined;
}

const wireSchema = z.looseObject({
  data: z.union([z.string(), z.instanceof(Uint8Array)], "expected base64 or bytes").optional(),
  handle: z.string().optional(),
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
    throw notATensor(
      parsed.error.issues.map(({ path, message }) => `${path.join(".") || "tensor"}: ${message}`).join("; "),
    );
  }
  const { data, handle, shape, compression } = parsed.data;
  if ((data === undefined) === (handle === undefined)) throw notATensor("either data or a handle");
  const {
    dtype,
    width,
    rounded = false,
  } = readDtype(parsed.data.dtype, parsed.data.original_dtype ?? undefined);
  const numbers = shape.reduce((a, b) => a * b, 1);
  const bytes = numbers * width;
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
  return { dtype, shape, numbers, bytes, compression: compression ?? undefined, rounded, data };
}

function notATensor(what: string): TensorError {
  return new TensorError(
    "tensor_form",
    `not a tensor: ${what}; expected {data, dtype, shape, original_dtype?, compression?}`,
  );
}

/** The most bytes that a tensor takes on the wire: zstd at its worst adds 1/256 and a header. */
export function mostPacked({ bytes, compression }: Pick<TensorHead, "bytes" | "compression">): number {
  return compression === "zstd" ? bytes + (bytes >> 7) + 1024 : bytes;
}

/**
 * Wire tensor → bits or values: base64, then zstd where `compression` says so, then little-endian bytes of `dtype`.
 * The decompressed size is compared with the shape before anything is allocated. Throws TensorError.
 */
export async function decodeTensor(wire: unknown): Promise<Tensor> {
  const head = tensorHead(wire);
  const { dtype, shape, numbers, bytes, compression, rounded, data } = head;
  if (data === undefined) {
    throw new TensorError(
      "tensor_form",
      "the tensor is behind a handle; decodeActivations(answer, { client }) fetches it",
    );
  }
  const isText = typeof data === "string";
  const most = mostPacked(head);
  if (data.length > (isText ? Math.ceil(most / 3) * 4 : most))
    throw wrongSize(head, `has ${data.length} ${isText ? "characters" : "bytes"}`);
  const packed = isText ? decodeBase64(data) : data;
  const raw = compression === "zstd" ? await decompressZstd(packed, bytes) : packed;
  if (raw.byteLength !== bytes) throw wrongSize(head, `holds ${raw.byteLength} bytes`);
  const wide = dtype === "float32" || rounded;
  const { buffer, byteOffset } = alignedBytes(raw, wide ? 4 : 2);
  if (!wide) return { dtype, shape, bits: new Uint16Array(buffer, byteOffset, numbers) };
  const values = new Float32Array(buffer, byteOffset, numbers);
  return rounded ? { dtype: "float16", shape, bits: toFloat16(values) } : { dtype: "float32", shape, values };
}

function wrongSize({ shape, dtype, bytes }: TensorHead, what: string): TensorError {
  return new TensorError(
    "tensor_size",
    `data ${what}; shape ${shape.join(" × ")} of ${dtype} needs ${bytes} bytes`,
    { shape, bytes },
  );
}

/** How numbers are written; vLLM with vllm-lens reads each. */
export interface EncodeTensorOptions {
  /** Default float32, which loses nothing. The others round to nearest, ties to even, and take half the bytes. */
  dtype?: Tensor["dtype"];
}

const dtypes = oneOf(["float32", "bfloat16", "float16"] satisfies Tensor["dtype"][]);
const shapeKind = listOf(whole(0));
const encodeOptions = fields({ dtype: optional(dtypes) });

/**
 * float32 values → wire tensor: raw little-endian bytes, not compressed, which every server version reads; `compressTensor`
 * packs them. Throws TensorError: `tensor_form`, `tensor_shape`, `tensor_overflow` where a finite number has no finite one in `dtype`.
 */
export function encodeTensor(
  values: Float32Array,
  shape: readonly number[],
  options: EncodeTensorOptions = {},
): WireTensor {
  checkTensorArguments("encodeTensor", {
    values: [values, floats],
    shape: [shape, shapeKind],
    options: [options, encodeOptions],
  });
  const { dtype = "float32" } = options;
  const numbers = shape.reduce((a, b) => a * b, 1);
  if (numbers !== values.length) {
    throw new TensorError(
      "tensor_shape",
      `shape ${shape.join(" × ")} is ${numbers} numbers, ${values.length} given`,
      { shape },
    );
  }
  const { buffer, byteOffset, byteLength } =
    dtype === "float32" ? values : dtype === "float16" ? toFloat16(values) : toBf16(values);
  const data = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  const name = dtype === "bfloat16" ? "int16" : dtype;
  return { data, dtype: name, original_dtype: `torch.${dtype}`, shape: [...shape] };
}

function toBf16(values: Float32Array): Uint16Array {
  return finiteAs("bfloat16", values, float32ToBf16(values));
}

function toFloat16(values: Float32Array): Uint16Array {
  return finiteAs("float16", values, float32ToFloat16(values));
}

/** The bits, where each number that was finite still is. */
function finiteAs(dtype: "bfloat16" | "float16", values: Float32Array, bits: Uint16Array): Uint16Array {
  const at = firstOverflow(values, bits, dtype);
  if (at < 0) return bits;
  throw new TensorError(
    "tensor_overflow",
    `number ${at} is ${values[at]}, which ${dtype} cannot hold (its largest is ${dtype === "float16" ? "65504" : "3.39e38"}); scale it down, or use float32`,
    { index: at, value: values[at], dtype },
  );
}

/**
 * Values of a tensor as float32, copied: all, or those from `start` to `end`. `into`: filled and returned instead of a new
 * array, and exactly as long. Throws TensorError: `tensor_form`, `tensor_shape`.
 */
export function tensorValues(tensor: Tensor, start = 0, end?: number, into?: Float32Array): Float32Array {
  checkTensorArguments("tensorValues", { tensor: [tensor, tensorKind] });
  const all = tensor.dtype === "float32" ? tensor.values : tensor.bits;
  const place = kind(`a whole number from 0 to ${all.length}`, (at) => isPlace(at, all.length));
  checkTensorArguments("tensorValues", {
    start: [start, place],
    end: [end, optional(place)],
    into: [into, optional(floats)],
  });
  return readValues(tensor, start, end, into);
}

/** The same for a place that is known to be one: rows are read by the thousand. */
export function readValues(tensor: Tensor, start: number, end?: number, into?: Float32Array): Float32Array {
  const part = (tensor.dtype === "float32" ? tensor.values : tensor.bits).subarray(start, end);
  const values = roomFor(part.length, into);
  if (part instanceof Float32Array) values.set(part);
  else if (tensor.dtype === "bfloat16") bf16ToFloat32(part, values);
  else float16ToFloat32(part, values);
  return values;
}

const isPlace = (at: unknown, length: number): boolean =>
  Number.isInteger(at) && (at as number) >= 0 && (at as number) <= length;

const wide = fields({ dtype: oneOf(["float32"]), values: floats }, { loose: true });
const narrow = fields({ dtype: oneOf(["bfloat16", "float16"]), bits }, { loose: true });
const tensorKind = {
  allowed: "a decoded tensor",
  fault: (value: unknown, field: string) =>
    ((value as Tensor | null | undefined)?.dtype === "float32" ? wide : narrow).fault(value, field),
};

import { bf16ToFloat32, f16ToFloat32, float32ToBf16 } from "../float-formats.ts";
import type { Capture } from "../residual-capture.ts";
import { invalidRequest } from "./api-error.ts";
import type { WireTensor } from "./steering-schema.ts";
import { compressZstd, decompressZstd } from "./zstd.ts";

/** The exponent bits of a bfloat16: all set in an infinity or a NaN. */
const infinity = 0x7f80;

const numberBytes = { float32: 4, float16: 2, int16: 2 } as const;

/** A tensor's bytes, compressed, and what a reader must know of them. */
export interface TensorFrame {
  readonly frame: Uint8Array;
  readonly form: {
    readonly dtype: string;
    readonly original_dtype: string;
    readonly shape: readonly number[];
    readonly compression: string;
  };
}

/** A capture as the wire carries it inside JSON. Throws as `compressCapture` does. */
export function encodeCapture(capture: Capture): object {
  const { frame, form } = compressCapture(capture);
  return { data: Buffer.from(frame).toString("base64"), ...form };
}

/** A capture in one zstd frame. Throws as `captureBits` does. */
export function compressCapture(capture: Capture): TensorFrame {
  const { bits, form } = captureBits(capture);
  return {
    frame: compressZstd(new Uint8Array(bits.buffer)),
    form: { ...form, compression: "zstd" },
  };
}

/**
 * A capture as bfloat16 bits, rounded to nearest even, [layers, positions, hidden]. Throws ApiError 400 where steering drove
 * the stream beyond what bfloat16 can hold.
 */
export function captureBits(capture: Capture): {
  bits: Uint16Array<ArrayBuffer>;
  form: Omit<TensorFrame["form"], "compression">;
} {
  const { layers, positions, hiddenSize, values } = capture;
  const bits = new Uint16Array(layers.length * positions * hiddenSize);
  values.forEach((layer, i) => {
    const size = positions * hiddenSize;
    float32ToBf16(layer, bits.subarray(i * size, (i + 1) * size));
  });
  const at = bits.findIndex((word) => (word & infinity) === infinity);
  if (at >= 0) {
    const layer = layers[Math.floor(at / (positions * hiddenSize))]!;
    const position = Math.floor(at / hiddenSize) % positions;
    throw invalidRequest(
      `apply_steering_vectors: the stream is not finite in bfloat16 at layer ${layer}, position ${position}; lower the scale`,
    );
  }
  return {
    bits,
    form: {
      dtype: "int16",
      original_dtype: "torch.bfloat16",
      shape: [layers.length, positions, hiddenSize],
    },
  };
}

/** The float32 values of a tensor object. Throws ApiError 400, naming `field`. */
export function decodeTensor(tensor: WireTensor, field: string): Float32Array {
  const { dtype, shape, compression } = tensor;
  const expectedOriginal = { float32: null, float16: null, int16: "torch.bfloat16" }[dtype];
  if (expectedOriginal !== null && tensor.original_dtype !== expectedOriginal) {
    throw invalidRequest(`${field}.original_dtype: dtype int16 holds bfloat16 bits; give "torch.bfloat16"`);
  }
  const length = shape.reduce((product, size) => product * size, 1) * numberBytes[dtype];
  const stored = decodeBase64(tensor.data, field);
  const bytes = compression === "zstd" ? decompressZstd(stored, length, `${field}.data`) : stored;
  if (bytes.length !== length) {
    throw invalidRequest(
      `${field}.data: has ${bytes.length} bytes where shape [${shape.join(", ")}] in ${dtype} takes ${length}`,
    );
  }
  // A copy begins at an aligned address.
  const { buffer } = new Uint8Array(bytes);
  const values =
    dtype === "float32"
      ? new Float32Array(buffer)
      : dtype === "float16"
        ? f16ToFloat32(new Uint16Array(buffer))
        : bf16ToFloat32(new Uint16Array(buffer));
  if (!values.every(Number.isFinite))
    throw invalidRequest(`${field}.data: holds a number that is not finite`);
  return values;
}

function decodeBase64(text: string, field: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  // Buffer skips what is no base64; the round trip tells.
  if (bytes.toString("base64") !== text) {
    throw invalidRequest(`${field}.data: is not base64 (standard alphabet, with padding)`);
  }
  return bytes;
}

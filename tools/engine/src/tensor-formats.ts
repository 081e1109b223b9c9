import { decodeFloats, f16ToFloat32, floatBytes, isFloatFormat } from "./float-formats.ts";
import type { FloatFormat } from "./float-formats.ts";

/** Numbers of a block that share a scale, in the quantised formats. */
const blockSize = 32;

/** Bytes of a block: the half-precision scale, in Q4_1 the minimum too, then the quanta. */
const blockBytes = { Q8_0: 2 + 32, Q4_0: 2 + 16, Q4_1: 2 + 2 + 16 } as const;

/** How a tensor's numbers lie in a file; the quantised ones are those of GGUF. */
export type TensorFormat = FloatFormat | keyof typeof blockBytes;

/** Numbers that must be stored together: a row of a tensor is a multiple. */
export function blockLength(format: TensorFormat): number {
  return isFloatFormat(format) ? 1 : blockSize;
}

/** Bytes of `count` numbers, a multiple of `blockLength`. */
export function tensorBytes(format: TensorFormat, count: number): number {
  return isFloatFormat(format) ? count * floatBytes[format] : (count / blockSize) * blockBytes[format];
}

/**
 * Decodes whole blocks to float32 with the same bits as gguf-py's `quants.dequantize`: the products and sums are
 * exact in double precision, so one rounding gives what float32 arithmetic gives.
 */
export function decodeTensor(bytes: Uint8Array, format: TensorFormat): Float32Array {
  if (isFloatFormat(format)) return decodeFloats(bytes, format);
  const size = blockBytes[format];
  const quantaAt = format === "Q4_1" ? 4 : 2;
  const blocks = bytes.length / size;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float32Array(blocks * blockSize);
  const halves = new Uint16Array(2);
  const numbers = new Float32Array(2);
  for (let block = 0; block < blocks; block++) {
    const from = block * size;
    const to = block * blockSize;
    halves[0] = view.getUint16(from, true);
    halves[1] = format === "Q4_1" ? view.getUint16(from + 2, true) : 0;
    f16ToFloat32(halves, numbers);
    const scale = numbers[0]!;
    const minimum = numbers[1]!;
    for (let i = 0; i < size - quantaAt; i++) {
      const byte = bytes[from + quantaAt + i]!;
      if (format === "Q8_0") {
        values[to + i] = scale * ((byte << 24) >> 24);
      } else if (format === "Q4_0") {
        values[to + i] = scale * ((byte & 15) - 8);
        values[to + 16 + i] = scale * ((byte >> 4) - 8);
      } else {
        values[to + i] = Math.fround(scale * (byte & 15)) + minimum;
        values[to + 16 + i] = Math.fround(scale * (byte >> 4)) + minimum;
      }
    }
  }
  return values;
}

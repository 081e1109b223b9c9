import { decodeFloats, f16ToFloat32, floatBytes, isFloatFormat, type FloatFormat } from "./float-formats.ts";

/** The quantised formats of GGUF: numbers and bytes of a block, which shares a scale. */
const blocks = {
  Q8_0: { numbers: 32, bytes: 2 + 32 },
  Q4_0: { numbers: 32, bytes: 2 + 16 },
  Q4_1: { numbers: 32, bytes: 2 + 2 + 16 },
  Q6_K: { numbers: 256, bytes: 128 + 64 + 16 + 2 },
} as const;

type BlockFormat = keyof typeof blocks;

/** How a tensor's numbers lie in a file. */
export type TensorFormat = FloatFormat | BlockFormat;

/** Numbers that must be stored together: a row of a tensor is a multiple. */
export function blockLength(format: TensorFormat): number {
  return isFloatFormat(format) ? 1 : blocks[format].numbers;
}

/** Bytes of `count` numbers, a multiple of `blockLength`. */
export function tensorBytes(format: TensorFormat, count: number): number {
  return isFloatFormat(format)
    ? count * floatBytes[format]
    : (count / blocks[format].numbers) * blocks[format].bytes;
}

/** Writes the numbers of the block that begins at `from` into `into` from `to`. */
type BlockDecoder = (bytes: Uint8Array, from: number, into: Float32Array, to: number) => void;

// The products and sums are exact in double precision: one rounding gives what float32 arithmetic gives.
const decoders: Readonly<Record<BlockFormat, BlockDecoder>> = {
  Q8_0: (bytes, from, into, to) => {
    const scale = half(bytes, from);
    for (let i = 0; i < 32; i++) into[to + i] = scale * signed(bytes[from + 2 + i]!);
  },
  Q4_0: (bytes, from, into, to) => {
    const scale = half(bytes, from);
    for (let i = 0; i < 16; i++) {
      const byte = bytes[from + 2 + i]!;
      into[to + i] = scale * ((byte & 15) - 8);
      into[to + 16 + i] = scale * ((byte >> 4) - 8);
    }
  },
  Q4_1: (bytes, from, into, to) => {
    const scale = half(bytes, from);
    const minimum = half(bytes, from + 2);
    for (let i = 0; i < 16; i++) {
      const byte = bytes[from + 4 + i]!;
      into[to + i] = scale * (byte & 15) + minimum;
      into[to + 16 + i] = scale * (byte >> 4) + minimum;
    }
  },
  // Low four bits of each number, then high two, then a scale for each 16, then the scale of these.
  Q6_K: (bytes, from, into, to) => {
    const scale = half(bytes, from + 208);
    for (let i = 0; i < 256; i++) {
      const side = i >> 7;
      const within = i & 127;
      const low = bytes[from + side * 64 + (within & 63)]! >> (within < 64 ? 0 : 4);
      const high = bytes[from + 128 + side * 32 + (within & 31)]! >> (2 * (within >> 5));
      const quantum = ((low & 15) | ((high & 3) << 4)) - 32;
      into[to + i] = scale * signed(bytes[from + 192 + (i >> 4)]!) * quantum;
    }
  },
};

/** Decodes whole blocks to float32 with the same bits as `quants.dequantize` of gguf-py. */
export function decodeTensor(bytes: Uint8Array, format: TensorFormat): Float32Array {
  if (isFloatFormat(format)) return decodeFloats(bytes, format);
  const { numbers, bytes: size } = blocks[format];
  const decode = decoders[format];
  const count = bytes.length / size;
  const values = new Float32Array(count * numbers);
  for (let block = 0; block < count; block++) decode(bytes, block * size, values, block * numbers);
  return values;
}

const halfBits = new Uint16Array(1);
const halfValue = new Float32Array(1);

function half(bytes: Uint8Array, at: number): number {
  halfBits[0] = bytes[at]! | (bytes[at + 1]! << 8);
  return f16ToFloat32(halfBits, halfValue)[0]!;
}

function signed(byte: number): number {
  return (byte << 24) >> 24;
}

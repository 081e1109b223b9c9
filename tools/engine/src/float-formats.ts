const bitsOf = new Uint32Array(1);
const valueOf = new Float32Array(bitsOf.buffer);

/** The formats of a safetensors file that hold real numbers, with their bytes per number. */
export const floatBytes = { F32: 4, F16: 2, BF16: 2 } as const;
export type FloatFormat = keyof typeof floatBytes;

/** Whether a safetensors `dtype` is one that `decodeFloats` reads. */
export function isFloatFormat(dtype: string): dtype is FloatFormat {
  return Object.hasOwn(floatBytes, dtype);
}

/** Rounds float32 values to bfloat16 bits, to nearest with ties to even; a NaN stays a (quiet) NaN. */
export function float32ToBf16(values: Float32Array, into = new Uint16Array(values.length)): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i]!;
    into[i] =
      (word & 0x7fffffff) > 0x7f800000 ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
  }
  return into;
}

/** Widens bfloat16 bits to float32; exact. */
export function bf16ToFloat32(bits: Uint16Array, into = new Float32Array(bits.length)): Float32Array {
  const words = new Uint32Array(into.buffer, into.byteOffset, bits.length);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i]! << 16;
  return into;
}

/** Widens IEEE half-precision bits to float32; exact, subnormals and infinities included. */
export function f16ToFloat32(bits: Uint16Array, into = new Float32Array(bits.length)): Float32Array {
  for (let i = 0; i < bits.length; i++) into[i] = halfToNumber(bits[i]!);
  return into;
}

function halfToNumber(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return (sign ? -1 : 1) * fraction * 2 ** -24;
  bitsOf[0] = sign | ((exponent === 31 ? 0xff : exponent + 112) << 23) | (fraction << 13);
  return valueOf[0]!;
}

/** Decodes little-endian bytes of a float format to float32, `bytes.length / floatBytes[format]` values. */
export function decodeFloats(bytes: Uint8Array, format: FloatFormat): Float32Array {
  const size = floatBytes[format];
  // A typed array needs an aligned start; a slice of a file rarely has one.
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  const length = aligned.byteLength / size;
  if (format === "F32") return new Float32Array(aligned.buffer, aligned.byteOffset, length);
  const bits = new Uint16Array(aligned.buffer, aligned.byteOffset, length);
  return format === "BF16" ? bf16ToFloat32(bits) : f16ToFloat32(bits);
}

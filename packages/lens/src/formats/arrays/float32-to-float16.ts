/** float32 values → IEEE half-precision bits, round to nearest, ties to even; overflow gives infinity, NaN stays NaN. */
export function float32ToFloat16(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(words, halfBits);
}

function halfBits(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const size = word & 0x7fff_ffff;
  if (size > 0x7f80_0000) return sign | 0x7e00 | ((size >>> 13) & 0x1ff);
  // From 65520 on the nearest half is infinity.
  if (size >= 0x477f_f000) return sign | 0x7c00;
  // Below 2^-14 halves are multiples of 2^-24, without the hidden bit.
  if (size < 0x3880_0000) return sign | subnormalBits(size);
  return sign | ((size - 0x3800_0000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
}

/** Bits of a float32 below 2^-14, without its sign. */
function subnormalBits(size: number): number {
  const exponent = size >>> 23;
  const shift = 126 - exponent;
  if (shift > 24) return 0;
  const fraction = (size & 0x7f_ffff) | 0x80_0000;
  const half = 1 << (shift - 1);
  const rest = fraction & ((1 << shift) - 1);
  const whole = fraction >>> shift;
  return whole + (rest > half || (rest === half && (whole & 1) === 1) ? 1 : 0);
}

/** bfloat16 bits → float32 values, exactly (a bfloat16 is the upper half of a float32). Any shape, flattened. */
export function bf16ToFloat32(bits: Uint16Array): Float32Array {
  const values = new Float32Array(bits.length);
  // Written as integers: a signalling NaN that passes through a JS number may be changed.
  const words = new Uint32Array(values.buffer);
  for (let i = 0; i < bits.length; i++) words[i] = (bits[i] ?? 0) << 16;
  return values;
}

/** float32 values → bfloat16 bits, round to nearest, ties to even; overflow gives infinity, and NaN stays NaN. */
export function float32ToBf16(values: Float32Array): Uint16Array {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? 0;
    if ((word & 0x7fff_ffff) > 0x7f80_0000) {
      // Rounding could carry a NaN into infinity or zero; cut it, and keep one fraction bit set.
      const upper = word >>> 16;
      bits[i] = (upper & 0x7f) === 0 ? upper | 0x40 : upper;
    } else {
      bits[i] = (word + 0x7fff + ((word >>> 16) & 1)) >>> 16;
    }
  }
  return bits;
}

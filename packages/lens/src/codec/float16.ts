/** IEEE half-precision bits → float32 values, exactly. Any shape, flattened. */
export function float16ToFloat32(bits: Uint16Array): Float32Array {
  const values = new Float32Array(bits.length);
  const words = new Uint32Array(values.buffer);
  for (let i = 0; i < bits.length; i++) {
    const half = bits[i] ?? 0;
    const sign = (half & 0x8000) << 16;
    const exponent = (half >>> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0) values[i] = (sign === 0 ? 1 : -1) * fraction * 2 ** -24;
    else words[i] = sign | ((exponent === 0x1f ? 0xff : exponent + 112) << 23) | (fraction << 13);
  }
  return values;
}

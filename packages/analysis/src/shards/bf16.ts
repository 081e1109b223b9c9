/**
 * Widens bfloat16 bits to float32, exactly: a bfloat16 is the upper half of a float32, so every pattern, NaN payloads
 * included, keeps its bits. Goes through integers, since writing a NaN as a float may change its payload.
 */
export function widenBf16(bits: Uint16Array, into: Float32Array, at = 0): void {
  const words = new Uint32Array(into.buffer, into.byteOffset + at * 4, bits.length);
  for (let i = 0; i < bits.length; i++) words[i] = (bits[i] as number) << 16;
}

/** The exponent's bits, all of them set in an infinity. */
const exponents = { bfloat16: 0x7f80, float16: 0x7c00 } as const;

/** The first finite number whose narrow bits are infinite; −1 where there is none. */
export function firstOverflow(
  values: Float32Array,
  bits: Uint16Array,
  dtype: keyof typeof exponents,
): number {
  const exponent = exponents[dtype];
  return bits.findIndex((word, i) => (word & exponent) === exponent && Number.isFinite(values[i]));
}

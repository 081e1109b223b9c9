/** How a number of so many bytes ends: the exponent bits of its last two bytes, all ones for an infinity or no number. */
const exponents: Readonly<Record<string, { width: number; ones: number }>> = {
  float16: { width: 2, ones: 0x7c00 },
  float32: { width: 4, ones: 0x7f80 },
  float64: { width: 8, ones: 0x7ff0 },
  // The bits of bfloat16.
  int16: { width: 2, ones: 0x7f80 },
};
const aliases: Readonly<Record<string, string>> = {
  "<f2": "float16",
  "<f4": "float32",
  "<f8": "float64",
  "<i2": "int16",
};

/** Characters of base64 that are whole numbers of every width: 32 of them are 24 bytes. */
const piece = 2 ** 16;

/** Whether every number of a tensor's base64 is finite. A type that is not known counts as finite. */
export function areFinite(base64: string, dtype: string): boolean {
  const known = exponents[aliases[dtype] ?? dtype];
  if (known === undefined) return true;
  const { width, ones } = known;
  for (let from = 0; from < base64.length; from += piece) {
    const bytes = atob(base64.slice(from, from + piece));
    for (let end = width - 1; end < bytes.length; end += width) {
      const high = (bytes.charCodeAt(end) << 8) | bytes.charCodeAt(end - 1);
      if ((high & ones) === ones) return false;
    }
  }
  return true;
}

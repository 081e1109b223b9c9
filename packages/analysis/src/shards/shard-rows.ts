/** The selected rows of one example, in memory: what a capture leaves behind. */
export interface ExampleRows {
  /** Index in the list of examples. */
  index: number;
  positions: number[];
  /** One a position. */
  tokenIds: (number | null)[];
  tokens: (string | null)[];
  /** Per layer, ascending: bfloat16 bits `[positions, hiddenSize]`. */
  bits: Uint16Array[];
}

/** Joins the bits of one layer over several examples: `[rows, hiddenSize]`. */
export function joinBits(parts: readonly ExampleRows[], layer: number, length: number): Uint16Array {
  const joined = new Uint16Array(length);
  let at = 0;
  for (const { bits } of parts) {
    const part = bits[layer] as Uint16Array;
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

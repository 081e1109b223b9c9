/** A number of a file that float64 would make another one: its text. */
export class ExactNumber {
  // Not a key that an object of JSON could be taken to have.
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const parts = /^[+-]?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Below it float64 holds fewer digits, and in the end none. */
const leastNormal = 2.2250738585072014e-308;
/** As many as `toExponential` gives. */
const mostDigits = 101;

/**
 * Whether float64 holds the number that a text says: a fraction rounded in its last place as every reader does, but no number beyond
 * the range (1e400), none that becomes 0 or loses its digits near it (1e-400), and a whole number (9007199254740993.0) only where
 * its digits are the same again.
 */
export function isFaithful(text: string): boolean {
  const [, whole, fraction = "", exponent = "0"] = parts.exec(text) ?? [];
  const value = Math.abs(Number(text));
  if (whole === undefined || !Number.isFinite(value)) return false;
  const written = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = written.replace(/0+$/, "");
  if (digits === "") return true;
  const place = Number(exponent) - fraction.length + written.length - digits.length;
  if (place < 0 && value >= leastNormal) return true;
  if (digits.length > mostDigits || value === 0) return false;
  const [held = "", at] = value.toExponential(digits.length - 1).split("e");
  return held.replace(".", "") === digits && Number(at) === place + digits.length - 1;
}

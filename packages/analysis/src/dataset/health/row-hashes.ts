import type { RowNumbers } from "../../shards/row-dtype.ts";

/** One hash a row over the stored bits of all layers that were added: 8 bytes a row. */
export class RowHashes {
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;

  constructor(rows: number) {
    this.#low = new Uint32Array(rows).fill(0x9e37_79b9);
    this.#high = new Uint32Array(rows).fill(0x85eb_ca6b);
  }

  /** Adds the next layer's numbers of the rows from `first` on. */
  add(first: number, numbers: RowNumbers, width: number): void {
    const words =
      numbers instanceof Float32Array
        ? new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length)
        : numbers;
    for (let row = 0; row * width < words.length; row++) {
      let low = this.#low[first + row] as number;
      let high = this.#high[first + row] as number;
      for (let j = row * width; j < (row + 1) * width; j++) {
        const word = words[j] as number;
        low = Math.imul(low ^ word, 0xc2b2_ae35);
        low ^= low >>> 15;
        high = Math.imul(high + word, 0x27d4_eb2f);
        high ^= high >>> 13;
      }
      this.#low[first + row] = low;
      this.#high[first + row] = high;
    }
  }

  /**
   * How many rows have the hash of an earlier row. 53 bits of a hash are compared: among a million different rows, two are
   * mistaken for equal with a probability of 1 in 20 000.
   */
  repeated(): number {
    const keys = Float64Array.from(
      this.#low,
      (low, row) => low * 2 ** 21 + ((this.#high[row] as number) >>> 11),
    );
    keys.sort();
    let repeated = 0;
    for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) repeated++;
    return repeated;
  }
}

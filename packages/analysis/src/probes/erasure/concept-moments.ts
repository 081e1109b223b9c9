import { rowGram, transposed } from "../convex/row-gram.ts";

/** Rows that are put into the products at once: few would cost a walk over all of them each time. */
const foldedRows = 256;

/**
 * Moments of rows and of the classes that they belong to, taken in batch by batch in float64. Rows are centred on the first
 * batch's mean, so that sums of features far from zero keep their digits.
 */
export class ConceptMoments {
  readonly width: number;
  rows = 0;
  /** Σ (row − origin) */
  readonly sums: Float64Array;
  readonly origin: Float64Array;
  readonly counts: number[] = [];
  /** Σ (row − origin) of each class. */
  readonly classSums: Float64Array[] = [];
  readonly #keepsProducts: boolean;
  /** Σ (row − origin)(row − origin)ᵀ; none while the rows themselves take less room. */
  #products: Float64Array | undefined;
  /** Centred rows and their classes that are not in the products yet, and how many they are. */
  #waiting = 0;
  #kept: { rows: Float64Array; classOf: readonly number[] }[] = [];

  /** Without `products`, only the means. */
  constructor(width: number, products: boolean) {
    this.width = width;
    this.#keepsProducts = products;
    this.sums = new Float64Array(width);
    this.origin = new Float64Array(width);
  }

  /** `classOf`: the class of each row, as its place from 0. */
  add(values: Float32Array, classOf: readonly number[]): void {
    const { width, sums, origin } = this;
    const count = values.length / width;
    if (this.rows === 0) {
      for (let at = 0; at < values.length; at++) origin[at % width]! += values[at]! / count;
    }
    const centred = Float64Array.from(values, (value, at) => value - origin[at % width]!);
    for (let row = 0; row < count; row++) {
      const k = classOf[row]!;
      while (this.counts.length <= k) {
        this.counts.push(0);
        this.classSums.push(new Float64Array(width));
      }
      this.counts[k]! += 1;
      const own = this.classSums[k]!;
      for (let j = 0, at = row * width; j < width; j++, at++) {
        sums[j]! += centred[at]!;
        own[j]! += centred[at]!;
      }
    }
    this.rows += count;
    if (this.#keepsProducts) this.#take(centred, classOf);
  }

  get mean(): Float64Array {
    return this.origin.map((value, j) => value + this.sums[j]! / this.rows);
  }

  /** Rows less their mean and their classes, while no more than `width` have come; else undefined, and `covariance` has them. */
  keptRows(): { values: Float64Array; classOf: Float64Array } | undefined {
    const { width, rows, sums } = this;
    if (this.#products || rows > width) return undefined;
    const { values, classOf } = this.#together();
    for (let i = 0; i < values.length; i++) values[i]! -= sums[i % width]! / rows;
    return { values, classOf };
  }

  /** Σ (row − mean)(row − mean)ᵀ / (rows − 1), `[width, width]`. */
  covariance(): Float64Array {
    const { width, rows, sums } = this;
    const products = this.#fold();
    const covariance = new Float64Array(width * width);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) {
        const value = (products[i * width + j]! - (sums[i]! * sums[j]!) / rows) / (rows - 1);
        covariance[i * width + j] = covariance[j * width + i] = value;
      }
    }
    return covariance;
  }

  /** Σ (row − mean) z_k / (rows − 1) of each class: z_k is 1 for its rows, 0 for others. */
  crossCovariance(): Float64Array[] {
    const { rows, sums } = this;
    return this.classSums.map((own, k) =>
      own.map((value, j) => (value - (sums[j]! * this.counts[k]!) / rows) / (rows - 1)),
    );
  }

  #take(rows: Float64Array, classOf: readonly number[]): void {
    this.#kept.push({ rows, classOf });
    this.#waiting += classOf.length;
    if (this.#waiting >= foldedRows && this.rows > this.width) this.#fold();
  }

  /** Adds the rows that wait to the products, and lets go of them. */
  #fold(): Float64Array {
    const { width } = this;
    this.#products ??= new Float64Array(width ** 2);
    const { values, classOf } = this.#together();
    this.#kept = [];
    this.#waiting = 0;
    const count = classOf.length;
    rowGram(transposed(values, count, width), width, count, this.#products);
    return this.#products;
  }

  #together(): { values: Float64Array; classOf: Float64Array } {
    const values = new Float64Array(this.#waiting * this.width);
    const classOf = new Float64Array(this.#waiting);
    let at = 0;
    for (const batch of this.#kept) {
      values.set(batch.rows, at * this.width);
      classOf.set(batch.classOf, at);
      at += batch.classOf.length;
    }
    return { values, classOf };
  }
}

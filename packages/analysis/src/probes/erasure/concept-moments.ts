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
  /** Σ (row − origin)(row − origin)ᵀ, the lower half; none while the rows themselves take less room. */
  #products: Float64Array | undefined;
  /** Centred rows and their classes, while there are at most as many as features. */
  #kept: { rows: Float64Array; classOf: ArrayLike<number> }[] = [];

  /** Without `products`, only the means. */
  constructor(width: number, products: boolean) {
    this.width = width;
    this.#keepsProducts = products;
    this.sums = new Float64Array(width);
    this.origin = new Float64Array(width);
  }

  /** `classOf`: the class of each row, as its place from 0. */
  add(values: Float32Array, classOf: ArrayLike<number>): void {
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
    if (this.#products) return undefined;
    const { width, rows, sums } = this;
    const values = new Float64Array(rows * width);
    const classOf = new Float64Array(rows);
    let at = 0;
    for (const batch of this.#kept) {
      values.set(batch.rows, at * width);
      for (let row = 0; row < batch.rows.length / width; row++) classOf[at++] = batch.classOf[row]!;
    }
    for (let i = 0; i < values.length; i++) values[i]! -= sums[i % width]! / rows;
    return { values, classOf };
  }

  /** Σ (row − mean)(row − mean)ᵀ / (rows − 1), `[width, width]`. */
  covariance(): Float64Array {
    const { width, rows, sums } = this;
    if (!this.#products) this.#fold();
    const products = this.#products!;
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

  #take(rows: Float64Array, classOf: ArrayLike<number>): void {
    if (this.#products) return addProducts(this.#products, rows, this.width);
    this.#kept.push({ rows, classOf });
    if (this.rows > this.width) this.#fold();
  }

  #fold(): void {
    this.#products = new Float64Array(this.width ** 2);
    for (const { rows } of this.#kept) addProducts(this.#products, rows, this.width);
    this.#kept = [];
  }
}

/** Four rows at a time: each sum is read and written once for four products. */
function addProducts(products: Float64Array, rows: Float64Array, width: number): void {
  const four = Math.ceil(rows.length / width / 4) * 4;
  const padded = rows.length === four * width ? rows : new Float64Array(four * width);
  if (padded !== rows) padded.set(rows);
  for (let row = 0; row < four; row += 4) {
    const a = padded.subarray(row * width, (row + 1) * width);
    const b = padded.subarray((row + 1) * width, (row + 2) * width);
    const c = padded.subarray((row + 2) * width, (row + 3) * width);
    const d = padded.subarray((row + 3) * width, (row + 4) * width);
    for (let i = 0; i < width; i++) {
      const [ai, bi, ci, di] = [a[i]!, b[i]!, c[i]!, d[i]!];
      const start = i * width;
      for (let j = 0; j <= i; j++) products[start + j]! += ai * a[j]! + bi * b[j]! + ci * c[j]! + di * d[j]!;
    }
  }
}

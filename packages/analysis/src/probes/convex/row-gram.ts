/** A · Aᵀ (added to `into`) of `rows` rows of `width` numbers, in float64: `[rows, rows]`, symmetric. Two by two sums at a time halve what is read. */
export function rowGram(
  values: Float64Array,
  rows: number,
  width: number,
  into: Float64Array = new Float64Array(rows * rows),
): Float64Array {
  const gram = into;
  for (let i = 0; i < rows; i += 2) {
    const hasNext = i + 1 < rows;
    const a = i * width;
    const b = hasNext ? a + width : a;
    for (let k = 0; k <= i; k += 2) {
      const c = k * width;
      const d = k + 1 < rows ? c + width : c;
      let [ac, ad, bc, bd] = [0, 0, 0, 0];
      for (let j = 0; j < width; j++) {
        const [p, q, r, s] = [values[a + j]!, values[b + j]!, values[c + j]!, values[d + j]!];
        ac += p * r;
        ad += p * s;
        bc += q * r;
        bd += q * s;
      }
      gram[i * rows + k]! += ac;
      if (k + 1 < rows) gram[i * rows + k + 1]! += ad;
      if (hasNext) gram[(i + 1) * rows + k]! += bc;
      if (hasNext && k + 1 < rows) gram[(i + 1) * rows + k + 1]! += bd;
    }
  }
  for (let i = 0; i < rows; i++) for (let k = 0; k < i; k++) gram[k * rows + i] = gram[i * rows + k]!;
  return gram;
}

/** `[width, rows]` of `[rows, width]`. */
export function transposed(values: Float64Array, rows: number, width: number): Float64Array {
  const turned = new Float64Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < width; j++) turned[j * rows + row] = values[row * width + j]!;
  }
  return turned;
}

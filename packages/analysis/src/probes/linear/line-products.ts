/** `lines` (`[rows, width]`) · vector, in float64: four rows at a time, whose sums do not wait for each other. */
export function timesLines(lines: Float32Array, width: number, vector: Float64Array): Float64Array {
  const rows = lines.length / width;
  const products = new Float64Array(rows);
  let row = 0;
  for (; row + 4 <= rows; row += 4) {
    let [a, b, c, d] = [0, 0, 0, 0];
    const first = row * width;
    const [second, third, fourth] = [first + width, first + 2 * width, first + 3 * width];
    for (let j = 0; j < width; j++) {
      const each = vector[j]!;
      a += lines[first + j]! * each;
      b += lines[second + j]! * each;
      c += lines[third + j]! * each;
      d += lines[fourth + j]! * each;
    }
    products[row] = a;
    products[row + 1] = b;
    products[row + 2] = c;
    products[row + 3] = d;
  }
  for (; row < rows; row++) {
    let sum = 0;
    for (let j = 0, at = row * width; j < width; j++) sum += lines[at++]! * vector[j]!;
    products[row] = sum;
  }
  return products;
}

/** Σ factor · line of `lines` (`[rows, width]`), in float64: four rows at a time. */
export function sumOfLines(lines: Float32Array, width: number, factors: ArrayLike<number>): Float64Array {
  const rows = lines.length / width;
  const sums = new Float64Array(width);
  let row = 0;
  for (; row + 4 <= rows; row += 4) {
    const [a, b, c, d] = [factors[row]!, factors[row + 1]!, factors[row + 2]!, factors[row + 3]!];
    if (a === 0 && b === 0 && c === 0 && d === 0) continue;
    const first = row * width;
    const [second, third, fourth] = [first + width, first + 2 * width, first + 3 * width];
    for (let j = 0; j < width; j++) {
      sums[j]! +=
        a * lines[first + j]! + b * lines[second + j]! + (c * lines[third + j]! + d * lines[fourth + j]!);
    }
  }
  for (; row < rows; row++) {
    const factor = factors[row]!;
    for (let j = 0, at = row * width; j < width; j++) sums[j]! += factor * lines[at++]!;
  }
  return sums;
}

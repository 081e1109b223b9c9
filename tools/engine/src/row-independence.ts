type Multiply = (rows: Float32Array) => Float32Array;

/** Numbers of rows that are tried: below, at and above what kernels take at a time. */
const counts = [2, 3, 5, 8, 9, 16, 17, 31, 33, 64, 100, 128, 257, 512];
/** Numbers that a trial's result may have. */
const most = 8e6;
/** Rows of a block where products of different heights add in different orders. */
const blockRows = 16;
const found = new Map<string, number | null>();

/**
 * How a matrix may be multiplied so that a row's result has the same bits whatever rows lie beside it: in products of any
 * height (null), or only in blocks of this many rows. Tried on the matrix itself, once for each shape, since it depends on
 * the processor: a row must give the same bits alone and at every place among others.
 */
export function rowsAtOnce(multiply: Multiply, inputs: number, outputs: number): number | null {
  const shape = `${inputs}x${outputs}`;
  const known = found.get(shape);
  if (known !== undefined) return known;
  const block = tryBlocks(multiply, inputs, outputs);
  found.set(shape, block);
  return block;
}

export function tryBlocks(multiply: Multiply, inputs: number, outputs: number): number | null {
  const row = Float32Array.from({ length: inputs }, (_, i) => Math.sin(12.9898 * i + 78.233));
  const alone = multiply(row);
  const sameAt = (count: number, expected: Float32Array) => {
    const rows = new Float32Array(count * inputs);
    for (let at = 0; at < count; at++) rows.set(row, at * inputs);
    return everyRowIs(multiply(rows), expected);
  };
  const tried = counts.filter((count) => count * outputs <= most);
  if (tried.every((count) => sameAt(count, alone))) return null;
  const rows = new Float32Array(blockRows * inputs);
  rows.set(row);
  return sameAt(blockRows, multiply(rows).slice(0, outputs)) ? blockRows : 1;
}

function everyRowIs(values: Float32Array, expected: Float32Array): boolean {
  const width = expected.length;
  for (let at = 0; at < values.length; at += width) {
    // Object.is would take the place of ===: a product of finite numbers here is no NaN, and −0 equals 0 to every reader.
    for (let i = 0; i < width; i++) if (values[at + i] !== expected[i]) return false;
  }
  return true;
}

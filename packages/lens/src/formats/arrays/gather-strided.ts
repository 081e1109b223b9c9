/** How an array lies in a row of numbers: number i, j, … is at `offset + i · strides[0] + j · strides[1] + …`. */
export interface StridedView {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** The numbers of a view in C order, `size` bytes each; the view lies in `source`. */
export function gatherStrided(
  source: Uint8Array,
  size: number,
  { shape, strides, offset }: StridedView,
): Uint8Array {
  const bytes = new Uint8Array(shape.reduce((product, length) => product * length, size));
  if (isContiguous(shape, strides)) {
    bytes.set(source.subarray(offset * size, offset * size + bytes.length));
    return bytes;
  }
  const index = shape.map(() => 0);
  let from = offset;
  for (let at = 0; at < bytes.length; at += size) {
    for (let byte = 0; byte < size; byte++) bytes[at + byte] = source[from * size + byte]!;
    // The last axis runs fastest.
    for (let axis = index.length - 1; axis >= 0; axis--) {
      from += strides[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      from -= strides[axis]! * shape[axis]!;
      index[axis] = 0;
    }
  }
  return bytes;
}

function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== expected) return false;
    expected *= shape[axis]!;
  }
  return true;
}

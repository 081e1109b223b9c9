import { tile, VECTOR } from "./tile";

/** Columns that are factored at once; the size of a matrix is a multiple of it. */
const BLOCK: usize = 16;

/**
 * Factors a symmetric positive definite matrix (`[size, size]` of T, lower half) in place as L · Lᵀ. `scratch` has room for
 * BLOCK² numbers. Answers −1, or the column whose pivot is not positive.
 */
function factor<T>(matrix: usize, size: usize, scratch: usize): i32 {
  const line = size * sizeof<T>();
  for (let from: usize = 0; from < size; from += BLOCK) {
    const bytes = from * sizeof<T>();
    for (let i = from; i < size; i += 4) {
      const row = matrix + i * line;
      for (let j = from; j < min(from + BLOCK, i + 4); j += 2) {
        tile<T, T>(row, line, matrix + j * line, line, bytes, row + j * sizeof<T>(), line, -1);
      }
    }
    const failed = corner<T>(matrix + from * line + bytes, line, scratch);
    if (failed >= 0) return <i32>from + failed;
    for (let i = from + BLOCK; i < size; i++) panelRow<T>(matrix + i * line + bytes, scratch);
  }
  return -1;
}

/** Factors a BLOCK × BLOCK corner in place and leaves the inverse of its factor, transposed, in `inverse`. */
function corner<T>(at: usize, line: usize, inverse: usize): i32 {
  for (let i: usize = 0; i < BLOCK; i++) {
    for (let j: usize = 0; j <= i; j++) {
      let sum = <f64>get<T>(at, line, i, j);
      for (let m: usize = 0; m < j; m++) sum -= <f64>get<T>(at, line, i, m) * <f64>get<T>(at, line, j, m);
      if (i != j) set<T>(at, line, i, j, <T>(sum / <f64>get<T>(at, line, j, j)));
      else if (sum > 0) set<T>(at, line, i, i, <T>sqrt(sum));
      else return <i32>i;
    }
  }
  const own = BLOCK * sizeof<T>();
  for (let column: usize = 0; column < BLOCK; column++) {
    for (let i: usize = 0; i < BLOCK; i++) {
      let sum: f64 = i == column ? 1 : 0;
      for (let m = column; m < i; m++) sum -= <f64>get<T>(at, line, i, m) * <f64>get<T>(inverse, own, column, m);
      set<T>(inverse, own, column, i, i < column ? <T>0 : <T>(sum / <f64>get<T>(at, line, i, i)));
    }
  }
  return -1;
}

/** A row of BLOCK numbers times the transposed inverse of the corner's factor, in place: later numbers need the earlier ones. */
@inline
function panelRow<T>(row: usize, inverse: usize): void {
  const own = BLOCK * sizeof<T>();
  for (let half = own; half > 0; half -= 4 * VECTOR) {
    const start = half - 4 * VECTOR;
    let s0 = v128.splat<T>(<T>0), s1 = s0, s2 = s0, s3 = s0;
    for (let m: usize = 0; m < BLOCK; m++) {
      const x = v128.splat<T>(load<T>(row + m * sizeof<T>()));
      const line = inverse + m * own + start;
      s0 = v128.add<T>(s0, v128.mul<T>(x, v128.load(line)));
      s1 = v128.add<T>(s1, v128.mul<T>(x, v128.load(line, 16)));
      s2 = v128.add<T>(s2, v128.mul<T>(x, v128.load(line, 32)));
      s3 = v128.add<T>(s3, v128.mul<T>(x, v128.load(line, 48)));
    }
    v128.store(row + start, s0);
    v128.store(row + start, s1, 16);
    v128.store(row + start, s2, 32);
    v128.store(row + start, s3, 48);
  }
}

@inline
function get<T>(at: usize, line: usize, i: usize, j: usize): T {
  return load<T>(at + i * line + j * sizeof<T>());
}

@inline
function set<T>(at: usize, line: usize, i: usize, j: usize, value: T): void {
  store<T>(at + i * line + j * sizeof<T>(), value);
}

export function factorSingle(matrix: usize, size: usize, scratch: usize): i32 {
  return factor<f32>(matrix, size, scratch);
}

export function factorDouble(matrix: usize, size: usize, scratch: usize): i32 {
  return factor<f64>(matrix, size, scratch);
}

/** Writes scale · matrix + shift · identity (lower half of `[size, size]` float64) as float32. */
export function shiftSingle(matrix: usize, size: usize, scale: f64, shift: f64, out: usize): void {
  for (let i: usize = 0; i < size; i++) {
    const row = matrix + i * size * 8;
    const own = out + i * size * 4;
    for (let j: usize = 0; j <= i; j++) store<f32>(own + j * 4, <f32>(scale * load<f64>(row + j * 8)));
    store<f32>(own + i * 4, <f32>(scale * load<f64>(row + i * 8) + shift));
  }
}

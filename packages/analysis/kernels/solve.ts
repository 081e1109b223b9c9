/** Bytes of one line of right-hand sides: eight columns of float32, or four of float64. */
const LINE: usize = 32;

/**
 * Solves L · Lᵀ · x = y in place for the columns of `values` (`[size]` lines of LINE bytes); `factor` is `[size, size]` of T, lower
 * half, size a multiple of 4.
 */
function solve<T>(factor: usize, size: usize, values: usize): void {
  for (let i: usize = 0; i < size; i += 4) forward<T>(factor, size, values, i);
  for (let i = size; i > 0; i -= 4) backward<T>(factor, size, values, i - 4);
}

@inline
function times<T>(number: usize, v: v128): v128 {
  return v128.mul<T>(v128.splat<T>(load<T>(number)), v);
}

/** Four lines of y: less what the lines before them give, then the 4 × 4 corner. */
@inline
function forward<T>(factor: usize, size: usize, values: usize, i: usize): void {
  const z = sizeof<T>();
  const ld = size * z;
  const r0 = factor + i * ld, r1 = r0 + ld, r2 = r1 + ld, r3 = r2 + ld;
  const own = values + i * LINE;
  let a0 = v128.load(own), b0 = v128.load(own, 16), a1 = v128.load(own, 32), b1 = v128.load(own, 48);
  let a2 = v128.load(own, 64), b2 = v128.load(own, 80), a3 = v128.load(own, 96), b3 = v128.load(own, 112);
  for (let j: usize = 0; j < i; j++) {
    const y = values + j * LINE;
    const at = j * z;
    const u = v128.load(y);
    const v = v128.load(y, 16);
    let x = v128.splat<T>(load<T>(r0 + at));
    a0 = v128.sub<T>(a0, v128.mul<T>(x, u));
    b0 = v128.sub<T>(b0, v128.mul<T>(x, v));
    x = v128.splat<T>(load<T>(r1 + at));
    a1 = v128.sub<T>(a1, v128.mul<T>(x, u));
    b1 = v128.sub<T>(b1, v128.mul<T>(x, v));
    x = v128.splat<T>(load<T>(r2 + at));
    a2 = v128.sub<T>(a2, v128.mul<T>(x, u));
    b2 = v128.sub<T>(b2, v128.mul<T>(x, v));
    x = v128.splat<T>(load<T>(r3 + at));
    a3 = v128.sub<T>(a3, v128.mul<T>(x, u));
    b3 = v128.sub<T>(b3, v128.mul<T>(x, v));
  }
  const c = i * z;
  let d = v128.splat<T>(load<T>(r0 + c));
  a0 = v128.div<T>(a0, d);
  b0 = v128.div<T>(b0, d);
  a1 = v128.sub<T>(a1, times<T>(r1 + c, a0));
  b1 = v128.sub<T>(b1, times<T>(r1 + c, b0));
  d = v128.splat<T>(load<T>(r1 + c + z));
  a1 = v128.div<T>(a1, d);
  b1 = v128.div<T>(b1, d);
  a2 = v128.sub<T>(v128.sub<T>(a2, times<T>(r2 + c, a0)), times<T>(r2 + c + z, a1));
  b2 = v128.sub<T>(v128.sub<T>(b2, times<T>(r2 + c, b0)), times<T>(r2 + c + z, b1));
  d = v128.splat<T>(load<T>(r2 + c + 2 * z));
  a2 = v128.div<T>(a2, d);
  b2 = v128.div<T>(b2, d);
  a3 = v128.sub<T>(v128.sub<T>(a3, times<T>(r3 + c, a0)), times<T>(r3 + c + z, a1));
  b3 = v128.sub<T>(v128.sub<T>(b3, times<T>(r3 + c, b0)), times<T>(r3 + c + z, b1));
  a3 = v128.sub<T>(a3, times<T>(r3 + c + 2 * z, a2));
  b3 = v128.sub<T>(b3, times<T>(r3 + c + 2 * z, b2));
  d = v128.splat<T>(load<T>(r3 + c + 3 * z));
  a3 = v128.div<T>(a3, d);
  b3 = v128.div<T>(b3, d);
  keep(own, a0, b0, a1, b1, a2, b2, a3, b3);
}

/** Four lines of x from the last: the transposed corner, then what they take from all lines before them. */
@inline
function backward<T>(factor: usize, size: usize, values: usize, i: usize): void {
  const z = sizeof<T>();
  const ld = size * z;
  const r0 = factor + i * ld, r1 = r0 + ld, r2 = r1 + ld, r3 = r2 + ld;
  const own = values + i * LINE;
  const c = i * z;
  let a0 = v128.load(own), b0 = v128.load(own, 16), a1 = v128.load(own, 32), b1 = v128.load(own, 48);
  let a2 = v128.load(own, 64), b2 = v128.load(own, 80), a3 = v128.load(own, 96), b3 = v128.load(own, 112);
  let d = v128.splat<T>(load<T>(r3 + c + 3 * z));
  a3 = v128.div<T>(a3, d);
  b3 = v128.div<T>(b3, d);
  a2 = v128.sub<T>(a2, times<T>(r3 + c + 2 * z, a3));
  b2 = v128.sub<T>(b2, times<T>(r3 + c + 2 * z, b3));
  d = v128.splat<T>(load<T>(r2 + c + 2 * z));
  a2 = v128.div<T>(a2, d);
  b2 = v128.div<T>(b2, d);
  a1 = v128.sub<T>(v128.sub<T>(a1, times<T>(r3 + c + z, a3)), times<T>(r2 + c + z, a2));
  b1 = v128.sub<T>(v128.sub<T>(b1, times<T>(r3 + c + z, b3)), times<T>(r2 + c + z, b2));
  d = v128.splat<T>(load<T>(r1 + c + z));
  a1 = v128.div<T>(a1, d);
  b1 = v128.div<T>(b1, d);
  a0 = v128.sub<T>(v128.sub<T>(a0, times<T>(r3 + c, a3)), times<T>(r2 + c, a2));
  b0 = v128.sub<T>(v128.sub<T>(b0, times<T>(r3 + c, b3)), times<T>(r2 + c, b2));
  a0 = v128.sub<T>(a0, times<T>(r1 + c, a1));
  b0 = v128.sub<T>(b0, times<T>(r1 + c, b1));
  d = v128.splat<T>(load<T>(r0 + c));
  a0 = v128.div<T>(a0, d);
  b0 = v128.div<T>(b0, d);
  keep(own, a0, b0, a1, b1, a2, b2, a3, b3);
  for (let j: usize = 0; j < i; j++) {
    const y = values + j * LINE;
    const at = j * z;
    let u = v128.load(y);
    let v = v128.load(y, 16);
    let x = v128.splat<T>(load<T>(r0 + at));
    u = v128.sub<T>(u, v128.mul<T>(x, a0));
    v = v128.sub<T>(v, v128.mul<T>(x, b0));
    x = v128.splat<T>(load<T>(r1 + at));
    u = v128.sub<T>(u, v128.mul<T>(x, a1));
    v = v128.sub<T>(v, v128.mul<T>(x, b1));
    x = v128.splat<T>(load<T>(r2 + at));
    u = v128.sub<T>(u, v128.mul<T>(x, a2));
    v = v128.sub<T>(v, v128.mul<T>(x, b2));
    x = v128.splat<T>(load<T>(r3 + at));
    u = v128.sub<T>(u, v128.mul<T>(x, a3));
    v = v128.sub<T>(v, v128.mul<T>(x, b3));
    v128.store(y, u);
    v128.store(y, v, 16);
  }
}

@inline
function keep(at: usize, a0: v128, b0: v128, a1: v128, b1: v128, a2: v128, b2: v128, a3: v128, b3: v128): void {
  v128.store(at, a0);
  v128.store(at, b0, 16);
  v128.store(at, a1, 32);
  v128.store(at, b1, 48);
  v128.store(at, a2, 64);
  v128.store(at, b2, 80);
  v128.store(at, a3, 96);
  v128.store(at, b3, 112);
}

export function solveSingle(factor: usize, size: usize, values: usize): void {
  solve<f32>(factor, size, values);
}

export function solveDouble(factor: usize, size: usize, values: usize): void {
  solve<f64>(factor, size, values);
}

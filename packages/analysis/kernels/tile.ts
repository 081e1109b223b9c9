// Sums of products of four rows with two rows: what every kernel here spends its time in.

/** Bytes of a vector. */
export const VECTOR: usize = 16;

@inline
function total<T>(v: v128): f64 {
  if (sizeof<T>() == 8) return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
  return (
    <f64>f32x4.extract_lane(v, 0) +
    <f64>f32x4.extract_lane(v, 1) +
    <f64>f32x4.extract_lane(v, 2) +
    <f64>f32x4.extract_lane(v, 3)
  );
}

@inline
function madd<T>(sum: v128, a: v128, b: v128): v128 {
  return v128.add<T>(sum, v128.mul<T>(a, b));
}

/**
 * Adds `sign` times the products of rows a, a + lda, … (four) and b, b + ldb (two), `bytes` long, to `out`: four rows of two
 * numbers of type O, `ldo` bytes apart. Vectors are summed in T, their lanes in float64.
 */
@inline
export function tile<T, O>(
  a: usize,
  lda: usize,
  b: usize,
  ldb: usize,
  bytes: usize,
  out: usize,
  ldo: usize,
  sign: f64,
): void {
  const zero = v128.splat<T>(<T>0);
  let s00 = zero, s01 = zero, s10 = zero, s11 = zero, s20 = zero, s21 = zero, s30 = zero, s31 = zero;
  const a1 = a + lda, a2 = a1 + lda, a3 = a2 + lda, b1 = b + ldb;
  for (let at: usize = 0; at < bytes; at += VECTOR) {
    const y0 = v128.load(b + at);
    const y1 = v128.load(b1 + at);
    let x = v128.load(a + at);
    s00 = madd<T>(s00, x, y0);
    s01 = madd<T>(s01, x, y1);
    x = v128.load(a1 + at);
    s10 = madd<T>(s10, x, y0);
    s11 = madd<T>(s11, x, y1);
    x = v128.load(a2 + at);
    s20 = madd<T>(s20, x, y0);
    s21 = madd<T>(s21, x, y1);
    x = v128.load(a3 + at);
    s30 = madd<T>(s30, x, y0);
    s31 = madd<T>(s31, x, y1);
  }
  const next = sizeof<O>();
  put<O>(out, sign * total<T>(s00));
  put<O>(out + next, sign * total<T>(s01));
  put<O>(out + ldo, sign * total<T>(s10));
  put<O>(out + ldo + next, sign * total<T>(s11));
  put<O>(out + 2 * ldo, sign * total<T>(s20));
  put<O>(out + 2 * ldo + next, sign * total<T>(s21));
  put<O>(out + 3 * ldo, sign * total<T>(s30));
  put<O>(out + 3 * ldo + next, sign * total<T>(s31));
}

@inline
function put<O>(at: usize, value: f64): void {
  store<O>(at, <O>(<f64>load<O>(at) + value));
}

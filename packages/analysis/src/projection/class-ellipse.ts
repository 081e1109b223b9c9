/** Mean of points, and the ellipse that holds `share` of a normal cloud with their covariance. */
export interface ClassEllipse {
  x: number;
  y: number;
  /** Half axes, the longer first. */
  a: number;
  b: number;
  /** Of the longer one from the x axis, in radians, above −π/2 and at most π/2. */
  angle: number;
}

/** Covariance with n − 1; its eigenvalues times the χ² quantile of two degrees of freedom, −2 ln(1 − share), are the squared half axes. Null of fewer than 3 points. */
export function classEllipse(x: ArrayLike<number>, y: ArrayLike<number>, share: number): ClassEllipse | null {
  const n = x.length;
  if (n < 3) return null;
  let [meanX, meanY] = [0, 0];
  for (let i = 0; i < n; i++) {
    meanX += x[i]! / n;
    meanY += y[i]! / n;
  }
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [dx, dy] = [x[i]! - meanX, y[i]! - meanY];
    xx += (dx * dx) / (n - 1);
    xy += (dx * dy) / (n - 1);
    yy += (dy * dy) / (n - 1);
  }
  const half = Math.hypot((xx - yy) / 2, xy);
  const middle = (xx + yy) / 2;
  const reach = -2 * Math.log1p(-share);
  return {
    x: meanX + 0,
    y: meanY + 0,
    a: Math.sqrt(reach * (middle + half)),
    b: Math.sqrt(reach * Math.max(0, middle - half)),
    angle: Math.atan2(2 * xy, xx - yy) / 2 + 0,
  };
}

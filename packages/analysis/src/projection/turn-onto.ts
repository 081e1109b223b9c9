export interface PlanePoint {
  x: number;
  y: number;
}

/**
 * The rotation or reflection about the origin that brings `points` nearest to `targets` (orthogonal Procrustes, Schönemann 1966, in two
 * dimensions). It changes no distance.
 */
export function turnOnto(
  points: readonly PlanePoint[],
  targets: readonly PlanePoint[],
): (point: PlanePoint) => PlanePoint {
  const [straight, mirrored] = [1, -1].map((side) => {
    let [along, across] = [0, 0];
    points.forEach(({ x, y }, k) => {
      const target = targets[k]!;
      along += x * target.x + side * y * target.y;
      across += x * target.y - side * y * target.x;
    });
    return { side, reach: Math.hypot(along, across), angle: Math.atan2(across, along) };
  });
  const { side, angle } = straight!.reach >= mirrored!.reach ? straight! : mirrored!;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return ({ x, y }) => ({ x: cos * x - sin * side * y, y: sin * x + cos * side * y });
}

import type { RocCurve } from "../../results/roc-curve.ts";

type Point = RocCurve["points"][number];

/**
 * At most about `most` corners: of those that follow each other within 2/most of the way along the curve (its rates added) only the
 * last. No rate moves by more than that.
 */
export function thinCorners(corners: readonly Point[], most: number): Point[] {
  if (corners.length <= most) return [...corners];
  const step = (corner: Point) => Math.floor(((corner.falsePositiveRate + corner.recall) / 2) * (most - 1));
  return corners.filter((corner, i) => {
    const next = corners[i + 1];
    return i === 0 || next === undefined || step(next) !== step(corner);
  });
}

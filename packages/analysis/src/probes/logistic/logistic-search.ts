import type { LogisticColumn, LogisticPoint } from "./logistic-column.ts";
import { slopeAlong } from "./logistic-loss.ts";

/** The slope at the end is at most this share of the one at the start. */
const flatness = 0.1;
const maxTries = 30;

/**
 * How far to go along a move that leads downhill (`slope` < 0): Newton's method in one dimension, held inside the interval in which
 * the slope of this convex function changes its sign.
 */
export function searchAlong(
  column: LogisticColumn,
  { C, move, slope }: { C: number; move: LogisticPoint; slope: number },
): number {
  let low = 0;
  let high = Infinity;
  let t = 1;
  for (let tries = 0; tries < maxTries; tries++) {
    const here = slopeAlong(column, { C, move, t });
    if (Math.abs(here.slope) <= -flatness * slope) return t;
    if (here.slope < 0) low = t;
    else high = t;
    const newton = t - here.slope / here.bend;
    const inside = newton > low && newton < high && newton <= 10 * Math.max(t, 1);
    t = inside ? newton : high === Infinity ? 4 * t : (low + high) / 2;
  }
  return low;
}

import type { RocCurve } from "../../results/roc-curve.ts";
import type { RocStratum } from "./roc-strata.ts";

type Point = RocCurve["points"][number];

/** The corners of the curve from (0, 0) to (1, 1), without those on a line between their neighbours. Each stratum has both classes. */
export function rocCorners(strata: readonly RocStratum[]): Point[] {
  const curves = strata.map(cornersOf);
  return curves.length === 1 ? pointsOf(curves[0]!) : averagedCorners(curves);
}

/** False and true positives, in rows, above a threshold. */
interface Corner {
  alarms: number;
  hits: number;
  threshold: number | null;
}

function cornersOf({ scores, positive, ends }: RocStratum): Corner[] {
  const corners: Corner[] = [{ alarms: 0, hits: 0, threshold: null }];
  let [alarms, hits] = [0, 0];
  for (let at = 0; at < scores.length; at++) {
    if (positive[at] === 1) hits += 1;
    else alarms += 1;
    if (ends[at] === 0) continue;
    // Whole numbers: on a line is exactly on it.
    const corner = { alarms, hits, threshold: scores[at]! + 0 };
    const [before, last] = [corners.at(-2), corners.at(-1)!];
    if (before && turn(before, last, corner) === 0) corners.pop();
    corners.push(corner);
  }
  return corners;
}

function turn(a: Corner, b: Corner, c: Corner): number {
  return (b.alarms - a.alarms) * (c.hits - b.hits) - (b.hits - a.hits) * (c.alarms - b.alarms);
}

function pointsOf(corners: readonly Corner[]): Point[] {
  const end = corners.at(-1)!;
  return corners.map(({ alarms, hits, threshold }) => ({
    falsePositiveRate: alarms / end.alarms,
    recall: hits / end.hits,
    threshold,
  }));
}

/** Heights averaged at every rate at which some curve has a corner; where it rises, its lower and its upper end. */
function averagedCorners(curves: readonly (readonly Corner[])[]): Point[] {
  const ends = curves.map((corners) => corners.at(-1)!);
  const pairs = ends.map(({ alarms, hits }) => alarms * hits);
  const all = pairs.reduce((sum, own) => sum + own, 0);
  const rates = new Set(
    curves.flatMap((corners, k) => corners.map(({ alarms }) => alarms / ends[k]!.alarms)),
  );
  const points: Point[] = [{ falsePositiveRate: 0, recall: 0, threshold: null }];
  const at = curves.map(() => 0);
  for (const rate of [...rates].sort((a, b) => a - b)) {
    let [lower, upper] = [0, 0];
    curves.forEach((corners, k) => {
      const { alarms, hits } = ends[k]!;
      const rateOf = (i: number) => corners[i]!.alarms / alarms;
      while (at[k]! + 1 < corners.length && rateOf(at[k]! + 1) < rate) at[k]! += 1;
      const [low, high] = heights(corners, at[k]!, { rate, rateOf });
      lower += (pairs[k]! * low) / hits;
      upper += (pairs[k]! * high) / hits;
    });
    for (const sum of [lower, upper]) add(points, { falsePositiveRate: rate, recall: sum / all });
  }
  points.at(-1)!.recall = 1;
  return points;
}

/** Hits just before the rate and at it; `from` is the last corner before the rate (the first one at rate 0). */
function heights(
  corners: readonly Corner[],
  from: number,
  { rate, rateOf }: { rate: number; rateOf: (i: number) => number },
): [number, number] {
  const next = from + 1;
  if (rateOf(from) >= rate) {
    // Rate 0: the curve begins at 0 and rises to its highest corner there.
    const top = corners.findLast((_, i) => rateOf(i) === rate)!;
    return [0, top.hits];
  }
  if (next === corners.length) return [corners[from]!.hits, corners[from]!.hits];
  if (rateOf(next) > rate) {
    const share = (rate - rateOf(from)) / (rateOf(next) - rateOf(from));
    const hits = corners[from]!.hits + share * (corners[next]!.hits - corners[from]!.hits);
    return [hits, hits];
  }
  let top = next;
  while (top + 1 < corners.length && rateOf(top + 1) === rate) top += 1;
  return [corners[next]!.hits, corners[top]!.hits];
}

/** Sums of the same heights differ by rounding, so what turns by less is on the line. */
function add(points: Point[], { falsePositiveRate, recall }: Omit<Point, "threshold">): void {
  const point = { falsePositiveRate, recall: Math.min(1, recall), threshold: null };
  const [before, last] = [points.at(-2), points.at(-1)!];
  if (last.falsePositiveRate === falsePositiveRate && point.recall - last.recall < 1e-12) return;
  if (before) {
    const turned =
      (last.falsePositiveRate - before.falsePositiveRate) * (point.recall - last.recall) -
      (last.recall - before.recall) * (falsePositiveRate - last.falsePositiveRate);
    if (Math.abs(turned) < 1e-12) points.pop();
  }
  points.push(point);
}

import type { TrainingRows } from "./probe.ts";
import type { StandardMoments } from "./standard-moments.ts";

/** The rows that moments are taken of, each as often as its weight says (`[rows]`, ≥ 0; once when left out). */
export interface MomentRows extends TrainingRows {
  readonly weights?: ArrayLike<number> | undefined;
}

/**
 * Moments of the rows of `values` (`[rows, width]`, features already near zero: less a median, say) of each training set, in
 * float64.
 */
export function trainingMoments(
  values: Float32Array,
  width: number,
  sets: readonly MomentRows[],
): StandardMoments[] {
  const sums = momentSums(values.length / width, width, sets);
  sums.add(values, 0);
  return sums.moments();
}

/** Sums that become moments when all rows have been added, in blocks of any size. */
export interface MomentSums {
  /** `values`: `[some rows, width]`, of which the first is row `first`. */
  add(values: Float32Array, first: number): void;
  moments(): StandardMoments[];
}

/**
 * Training sets overlap (folds, and pairs of folds), so rows of equal membership are summed once. A set whose rows have weights has
 * sums of its own.
 */
export function momentSums(rows: number, width: number, sets: readonly MomentRows[]): MomentSums {
  const plain = sets.filter(({ weights }) => !weights);
  const { partOf, members } = partsOf(rows, plain);
  const parts = members.map(() => new PowerSums(width));
  const weighted = new Map(sets.filter(({ weights }) => weights).map((set) => [set, new PowerSums(width)]));
  return {
    add(values, first) {
      for (let at = 0, row = first; at < values.length; at += width, row++) {
        const own = values.subarray(at, at + width);
        if (plain.length > 0) parts[partOf[row]!]!.add(own, 1);
        for (const [{ included, weights }, sums] of weighted) {
          if (included[row] && weights![row]! > 0) sums.add(own, weights![row]!);
        }
      }
    },
    moments: () =>
      sets.map((set) => {
        const place = plain.indexOf(set);
        const own = weighted.get(set);
        const summed = own ? [own] : parts.filter((_, part) => members[part]!.includes(place));
        const n = summed.reduce((sum, { count }) => sum + count, 0);
        const mean = new Float64Array(width);
        const inverse = new Float64Array(width);
        for (let j = 0; j < width; j++) {
          mean[j] = summed.reduce((sum, { sums }) => sum + sums[j]!, 0) / n;
          const square = summed.reduce((sum, { squares }) => sum + squares[j]!, 0) / n;
          const variance = square - mean[j]! ** 2;
          // What rounding leaves of a feature that does not vary.
          inverse[j] = variance > 1e-13 * square ? 1 / Math.sqrt(variance) : 0;
        }
        return { mean, inverse };
      }),
  };
}

/** Σ weight, Σ weight · row and Σ weight · row². */
class PowerSums {
  count = 0;
  readonly sums: Float64Array;
  readonly squares: Float64Array;

  constructor(width: number) {
    this.sums = new Float64Array(width);
    this.squares = new Float64Array(width);
  }

  add(row: Float32Array, weight: number): void {
    const { sums, squares } = this;
    this.count += weight;
    for (let j = 0; j < row.length; j++) {
      const value = row[j]!;
      const share = weight * value;
      sums[j]! += share;
      squares[j]! += share * value;
    }
  }
}

/** The part of each row, and the sets that each part belongs to: each set splits the parts so far. */
function partsOf(
  rows: number,
  sets: readonly TrainingRows[],
): { partOf: Uint32Array; members: readonly number[][] } {
  const partOf = new Uint32Array(rows);
  let members: number[][] = [[]];
  for (const [set, { included }] of sets.entries()) {
    const split = new Map<number, number>();
    const next: number[][] = [];
    for (let row = 0; row < rows; row++) {
      const inside = included[row] ? 1 : 0;
      const key = 2 * partOf[row]! + inside;
      let part = split.get(key);
      if (part === undefined) {
        const before = members[partOf[row]!]!;
        part = next.push(inside ? [...before, set] : before) - 1;
        split.set(key, part);
      }
      partOf[row] = part;
    }
    members = next;
  }
  return { partOf, members };
}

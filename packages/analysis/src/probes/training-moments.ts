import type { TrainingRows } from "./probe.ts";

/** What standardises a feature: computed from training rows only. */
export interface StandardMoments {
  readonly mean: Float64Array;
  /** 1 / standard deviation (the population one, as scikit-learn's StandardScaler); 0 for a feature that is constant. */
  readonly inverse: Float64Array;
}

/**
 * Moments of the rows of `values` (`[rows, width]`, features already near zero: less a median, say) of each training set, in
 * float64.
 */
export function trainingMoments(
  values: Float32Array,
  width: number,
  sets: readonly TrainingRows[],
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

/** Training sets overlap (folds, and pairs of folds), so rows of equal membership are summed once. */
export function momentSums(rows: number, width: number, sets: readonly TrainingRows[]): MomentSums {
  const { partOf, members } = partsOf(rows, sets);
  const counts = members.map(() => 0);
  const sums = members.map(() => new Float64Array(width));
  const squares = members.map(() => new Float64Array(width));
  return {
    add(values, first) {
      for (let at = 0, row = first; at < values.length; at += width, row++) {
        const part = partOf[row]!;
        counts[part]!++;
        const [sum, square] = [sums[part]!, squares[part]!];
        for (let j = 0; j < width; j++) {
          const value = values[at + j]!;
          sum[j]! += value;
          square[j]! += value * value;
        }
      }
    },
    moments: () =>
      sets.map((_, set) => {
        const parts = members.flatMap((own, part) => (own.includes(set) ? [part] : []));
        const total = (of: readonly Float64Array[], j: number) =>
          parts.reduce((sum, part) => sum + of[part]![j]!, 0);
        const n = parts.reduce((sum, part) => sum + counts[part]!, 0);
        const mean = new Float64Array(width);
        const inverse = new Float64Array(width);
        for (let j = 0; j < width; j++) {
          mean[j] = total(sums, j) / n;
          const square = total(squares, j) / n;
          const variance = square - mean[j]! ** 2;
          // What rounding leaves of a feature that does not vary.
          inverse[j] = variance > 1e-13 * square ? 1 / Math.sqrt(variance) : 0;
        }
        return { mean, inverse };
      }),
  };
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

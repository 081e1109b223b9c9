import type { TrainingRows } from "./probe.ts";

/** What standardises a feature: computed from training rows only. */
export interface StandardMoments {
  readonly mean: Float64Array;
  /** 1 / standard deviation (the population one, as scikit-learn's StandardScaler); 0 for a feature that is constant. */
  readonly inverse: Float64Array;
}

/**
 * Moments of the rows of `values` (`[rows, width]`, features already near zero: less a median, say) of each training set, in
 * float64. Training sets overlap (folds, and pairs of folds), so rows of equal membership are summed once.
 */
export function trainingMoments(
  values: Float32Array,
  width: number,
  sets: readonly TrainingRows[],
): StandardMoments[] {
  const parts = partsOf(values.length / width, sets);
  const sums = parts.map(({ rows }) => partSums(values, width, rows));
  return sets.map((_, set) => {
    let n = 0;
    const mean = new Float64Array(width);
    const inverse = new Float64Array(width);
    parts.forEach(({ members, rows }, part) => {
      if (!members.includes(set)) return;
      n += rows.length;
      const { sum, squares } = sums[part]!;
      for (let j = 0; j < width; j++) {
        mean[j]! += sum[j]!;
        inverse[j]! += squares[j]!;
      }
    });
    for (let j = 0; j < width; j++) {
      const center = mean[j]! / n;
      const square = inverse[j]! / n;
      const variance = square - center ** 2;
      mean[j] = center;
      // What rounding leaves of a feature that does not vary.
      inverse[j] = variance > 1e-13 * square ? 1 / Math.sqrt(variance) : 0;
    }
    return { mean, inverse };
  });
}

interface Part {
  readonly members: readonly number[];
  readonly rows: number[];
}

/** Rows by the sets that they belong to: each set splits the parts so far. */
function partsOf(rows: number, sets: readonly TrainingRows[]): Part[] {
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
  const parts: Part[] = members.map((own) => ({ members: own, rows: [] }));
  partOf.forEach((part, row) => parts[part]!.rows.push(row));
  return parts;
}

function partSums(values: Float32Array, width: number, rows: readonly number[]) {
  const sum = new Float64Array(width);
  const squares = new Float64Array(width);
  for (const row of rows) {
    const start = row * width;
    for (let j = 0; j < width; j++) {
      const value = values[start + j]!;
      sum[j]! += value;
      squares[j]! += value * value;
    }
  }
  return { sum, squares };
}

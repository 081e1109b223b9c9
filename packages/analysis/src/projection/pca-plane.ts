import { addScaled, dot, total } from "../linalg/vectors.ts";
import { topVectors } from "../probes/linear/lanczos.ts";
import { timesLines } from "../probes/linear/line-products.ts";
import { rowProducts } from "../probes/linear/row-products.ts";
import { centredValues, rowSpread, spreadMoments } from "../probes/linear/row-spread.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import type { Plane } from "./plane.ts";

/** One feature that is this much of an axis is told. */
const lonely = 0.8;

/**
 * Rows less their mean along the two leading eigenvectors of their covariance, raw space, labels unseen. An axis points to where its largest
 * loading is positive, as scikit-learn's.
 */
export async function pcaPlane(matrix: ProbeMatrix, seed: number): Promise<Plane> {
  const { rows, width } = matrix;
  const spread = rowSpread(new Float64Array(rows).fill(1));
  const variance = total(spreadMoments(spread, matrix.values, width)[0]!.variance);
  const products = rowProducts(matrix);
  const found: { vector: Float64Array; value: number; converged: boolean }[] = [];
  for (let k = 0; k < 2; k++) {
    const without = (vector: Float64Array): Float64Array => {
      const rest = Float64Array.from(vector);
      for (const { vector: one } of found) addScaled(rest, -dot(rest, one), one);
      return rest;
    };
    const [top] = await topVectors(
      1,
      width,
      async (_, vectors) => {
        const scores = await products.scores(vectors.map(without));
        const sums = await products.gather(
          scores.map((own) => centredValues(spread, own).map((value) => value / rows)),
        );
        return sums.map((sum) => without(Float64Array.from(sum)));
      },
      seed,
    );
    found.push({ vector: turned(without(top!.vector)), value: top!.value, converged: top!.converged });
  }
  const [x, y] = found.map(({ vector }) => centredValues(spread, timesLines(matrix.values, width, vector)));
  return {
    x: x!,
    y: y!,
    axes: found.map(({ value }, k) => ({
      name: `component ${k + 1}`,
      variance: variance > 0 ? Math.min(1, value / variance) : null,
    })),
    notes: variance > 0 ? found.flatMap(componentNotes) : ["All rows are equal."],
  };
}

function turned(vector: Float64Array): Float64Array {
  const at = largest(vector);
  return vector[at]! < 0 ? vector.map((value) => -value) : vector;
}

function largest(vector: Float64Array): number {
  return vector.reduce((best, value, j) => (Math.abs(value) > Math.abs(vector[best]!) ? j : best), 0);
}

function componentNotes(
  { vector, converged }: { vector: Float64Array; converged: boolean },
  k: number,
): string[] {
  const notes = lonelyNote(vector, k);
  if (!converged)
    notes.push(
      `Component ${k + 1} is hardly longer than the next one: others near it would show the rows as well.`,
    );
  return notes;
}

/** A few features of a residual stream are a hundred times as large as the others, and then a component shows nothing else. */
function lonelyNote(vector: Float64Array, k: number): string[] {
  const feature = largest(vector);
  const share = vector[feature]! ** 2;
  if (share < lonely || vector.length < 3) return [];
  return [
    `Component ${k + 1} is ${Math.round(100 * share)} % feature ${feature} alone: a massive activation, which says little of the other ${vector.length - 1} features.`,
  ];
}

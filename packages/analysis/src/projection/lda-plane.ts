import { addScaled, dot } from "../linalg/vectors.ts";
import { discriminantAxes } from "../probes/linear/discriminant-axes.ts";
import { topVectors } from "../probes/linear/lanczos.ts";
import { timesLines } from "../probes/linear/line-products.ts";
import { rowProducts } from "../probes/linear/row-products.ts";
import { centredValues, rowSpread, type RowSpread } from "../probes/linear/row-spread.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { turnOnto, type PlanePoint } from "./turn-onto.ts";
import type { Plane } from "./plane.ts";

/** Folds that place the same rows less alike than this have no common axis. */
const alike = 0.8;

/** What a fold's training rows say of every row. */
interface FoldPlane {
  /** `[rows]` each. */
  x: Float64Array;
  y: Float64Array;
  /** Of the training rows of each class. */
  means: PlanePoint[];
}

/**
 * Every row on discriminant axes that were fitted without its fold, in standard deviations within the training classes, from the middle of
 * their means. Of two classes the second axis is the first principal component within the classes once the difference of the means is
 * taken out; of more it is the second discriminant, and each fold's plane is turned (never stretched) onto the first fold's class means, since
 * axes of equal worth may swap. `classOf` counts from 0; every fold's training rows hold all classes.
 */
export async function ldaPlane(
  matrix: ProbeMatrix,
  options: { classOf: ArrayLike<number>; classes: number; foldOf: Uint8Array; folds: number; seed: number },
): Promise<Plane> {
  const { classOf, classes, foldOf, folds, seed } = options;
  const planes: FoldPlane[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const outside = Float64Array.from(foldOf, (own) => (own === fold ? 0 : 1));
    const spread = rowSpread(outside, classOf, classes);
    planes.push(await (classes === 2 ? twoClasses(matrix, spread, seed) : moreClasses(matrix, spread)));
  }
  const [first, ...others] = planes;
  const turned = [first!, ...others.map((plane) => aligned(plane, first!, classes))];
  const place = (axis: "x" | "y") => Float64Array.from(foldOf, (fold, row) => turned[fold]![axis][row]!);
  const least = (axis: "x" | "y") =>
    Math.min(...turned.slice(1).map((plane) => correlation(plane[axis], first![axis])));
  const [alongX, alongY] = [least("x"), least("y")];
  return {
    x: place("x"),
    y: place("y"),
    axes: (classes === 2
      ? ["discriminant", "first component without the difference of means"]
      : ["discriminant 1", "discriminant 2"]
    ).map((name) => ({ name: `${name}, in standard deviations within classes`, variance: null })),
    notes: [
      `Each row is placed by axes fitted on the other ${folds - 1} of ${folds} folds of whole groups, in standard deviations within classes: rows placed by their own labels would lie apart in pure noise, too.`,
      `Axes of the folds place the same rows with a correlation of at least ${alongX.toFixed(2)} (x) and ${alongY.toFixed(2)} (y).`,
      ...[
        ["x", alongX],
        ["y", alongY],
      ].flatMap(([axis, value]) =>
        (value as number) < alike
          ? [`Distances along ${axis} mean little: the folds do not agree on that axis.`]
          : [],
      ),
    ],
  };
}

async function twoClasses(matrix: ProbeMatrix, spread: RowSpread, seed: number): Promise<FoldPlane> {
  const { values, width } = matrix;
  const { axes, means } = await discriminantAxes(matrix, spread, 1);
  const step = means[1]!.map((value, j) => value - means[0]![j]!);
  const axis = dot(axes[0]!, step) < 0 ? axes[0]!.map((value) => -value) : axes[0]!;
  const length = dot(step, step);
  const without = (vector: Float64Array): Float64Array => {
    const rest = Float64Array.from(vector);
    if (length > 0) addScaled(rest, -dot(rest, step) / length, step);
    return rest;
  };
  const products = rowProducts(matrix);
  const [top] = await topVectors(
    1,
    width,
    async (_, vectors) => {
      const scores = await products.scores(vectors.map(without));
      const sums = await products.gather(
        scores.map((own) => centredValues(spread, own).map((value) => value / spread.total)),
      );
      return sums.map((sum) => without(Float64Array.from(sum)));
    },
    seed,
  );
  // It need not have converged: any axis that the training rows give is as honest, and where two are equally long none is right.
  const scale = top!.value > 0 ? 1 / Math.sqrt(top!.value) : 0;
  const beside = without(top!.vector).map((value) => value * scale);
  return placed(values, width, { axes: [axis, beside], means });
}

async function moreClasses(matrix: ProbeMatrix, spread: RowSpread): Promise<FoldPlane> {
  const { axes, means } = await discriminantAxes(matrix, spread, 2);
  return placed(matrix.values, matrix.width, { axes, means });
}

function placed(
  values: Float32Array,
  width: number,
  { axes, means }: { axes: readonly Float64Array[]; means: readonly Float64Array[] },
): FoldPlane {
  const ofMeans = axes.map((axis) => means.map((mean) => dot(axis, mean)));
  const origin = ofMeans.map((own) => own.reduce((sum, value) => sum + value, 0) / means.length);
  const [x, y] = axes.map((axis, k) => timesLines(values, width, axis).map((value) => value - origin[k]!));
  return {
    x: x!,
    y: y!,
    means: means.map((_, k) => ({ x: ofMeans[0]![k]! - origin[0]!, y: ofMeans[1]![k]! - origin[1]! })),
  };
}

/** Of two classes only the second axis has no direction of its own. */
function aligned(plane: FoldPlane, to: FoldPlane, classes: number): FoldPlane {
  if (classes === 2)
    return correlation(plane.y, to.y) < 0 ? { ...plane, y: plane.y.map((value) => -value) } : plane;
  const turn = turnOnto(plane.means, to.means);
  const points = Array.from(plane.x, (x, row) => turn({ x, y: plane.y[row]! }));
  return {
    x: Float64Array.from(points, ({ x }) => x),
    y: Float64Array.from(points, ({ y }) => y),
    means: plane.means.map(turn),
  };
}

function correlation(a: Float64Array, b: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [both, squaresA, squaresB] = [0, 0, 0];
  for (let row = 0; row < a.length; row++) {
    both += (a[row]! - meanA) * (b[row]! - meanB);
    squaresA += (a[row]! - meanA) ** 2;
    squaresB += (b[row]! - meanB) ** 2;
  }
  return squaresA > 0 && squaresB > 0 ? both / Math.sqrt(squaresA * squaresB) : 0;
}

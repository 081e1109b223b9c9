import { onBackend } from "../backend/use-backend.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkDataset } from "../probes/check-dataset.ts";
import { layerOf, refuseOtherLayer } from "../probes/checked-reads.ts";
import { probeMatrix } from "../probes/probe-matrix.ts";
import type { SweepDataset } from "../probes/sweep-rows.ts";
import type { Projection } from "../results/projection.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import { groupFolds } from "../statistics/group-folds.ts";
import { createRandom } from "../statistics/random.ts";
import { classEllipse } from "./class-ellipse.ts";
import { ldaPlane } from "./lda-plane.ts";
import { pcaPlane } from "./pca-plane.ts";
import type { Plane } from "./plane.ts";
import { projectOptionsSchema, type CheckedProjectOptions, type ProjectOptions } from "./project-options.ts";
import { projectedRows, type ProjectedRows } from "./projected-rows.ts";

/**
 * A layer's rows on a plane, with an ellipse of each class. `pca` looks at no label. `lda` looks for axes that part the classes, and is
 * cross-fitted by group: a row's place comes from a fit that saw neither its label nor a row of its group, since rows with more features
 * than examples lie apart on their own discriminant whatever the labels.
 * Throws ProbeError on labels and groups as sweeps do, `not_converged`, `not_finite`; InvalidRequestError.
 */
export async function projectLayer(dataset: SweepDataset, options: ProjectOptions): Promise<Projection> {
  const checked = checkOptions(projectOptionsSchema, options, "projectLayer options");
  checkDataset(dataset, "projectLayer");
  return await onBackend(() => project(dataset, checked));
}

async function project(dataset: SweepDataset, options: CheckedProjectOptions): Promise<Projection> {
  const { layer, label, method } = options;
  refuseOtherLayer(dataset, layer);
  const rows = await projectedRows(dataset, options);
  const width = dataset.hiddenSize;
  const all = await layerOf(dataset, layer);
  const values = new Float32Array(rows.kept.length * width);
  rows.kept.forEach((row, i) => values.set(all.subarray(row * width, (row + 1) * width), i * width));
  const plane = await planeOf(values, width, { rows, options });
  return {
    schemaVersion: resultSchemaVersion,
    kind: "projection",
    ...{ method, layer, label, group: rows.groupColumn, axes: plane.axes, classes: rows.classes },
    ...shown(plane, rows, options),
    n: rows.kept.length,
    groups: rows.groups,
  };
}

async function planeOf(
  values: Float32Array,
  width: number,
  { rows, options }: { rows: ProjectedRows; options: CheckedProjectOptions },
): Promise<Plane> {
  const { method, folds, seed } = options;
  const { classOf, classes, groupOf } = rows;
  const matrix = probeMatrix(values, width);
  try {
    if (method === "pca") return await pcaPlane(matrix, seed);
    const foldOf = groupFolds({ groups: groupOf, labels: classOf, folds, seed });
    return await ldaPlane(matrix, { classOf, classes: classes.length, foldOf, folds, seed });
  } finally {
    matrix.dispose();
  }
}

function shown(
  { x, y, notes }: Plane,
  { classes, classOf, groupNames, examples, first, notes: ofRows }: ProjectedRows,
  { points, seed, share }: CheckedProjectOptions,
): Pick<Projection, "points" | "ellipses" | "notes"> {
  const every = [...classOf.keys()];
  const drawn =
    every.length > points
      ? createRandom(seed, "projection points")
          .shuffle([...every])
          .slice(0, points)
          .sort((a, b) => a - b)
      : every;
  const few =
    drawn.length < every.length
      ? [`${drawn.length} of ${every.length} rows are shown, drawn at random; axes and ellipses are of all.`]
      : [];
  const ellipses = classes.flatMap((label, k) => {
    const own = every.filter((row) => classOf[row] === k);
    const of = (values: Float64Array) => own.map((row) => values[row]!);
    const ellipse = classEllipse(of(x), of(y), share);
    return ellipse ? [{ label, ...ellipse, share, n: own.length }] : [];
  });
  return {
    points: drawn.map((row) => ({
      // JSON has no −0.
      x: x[row]! + 0,
      y: y[row]! + 0,
      label: classes[classOf[row]!]!,
      group: groupNames[row]!,
      example: examples[row]!,
    })),
    ellipses,
    notes: [...ofRows, ...notes, ...firstNote(x, first), ...few],
  };
}

/** BOS is so much longer than other rows that the first axis may tell it from them and nothing else. */
function firstNote(x: Float64Array, first: readonly number[]): string[] {
  const squares = (rows: Iterable<number>) => [...rows].reduce((sum, row) => sum + x[row]! ** 2, 0);
  const share = squares(first) / squares(x.keys());
  if (!(share > 0.5)) return [];
  return [
    `${first.length} of ${x.length} rows stand at the first token and are ${Math.round(100 * share)} % of the spread along x: BOS is much longer than other rows; leave it out with where.`,
  ];
}

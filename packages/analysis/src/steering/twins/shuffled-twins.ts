import { z } from "zod";
import { layerOf } from "../../probes/checked-reads.ts";
import { shuffleLabels } from "../../statistics/permutation/shuffle-labels.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { sweepRows, type LabelValue, type SweepDataset } from "../../probes/sweep-rows.ts";
import { createRandom } from "../../statistics/random.ts";
import { datasetShape } from "../dataset-schema.ts";
import { withNormsOf, type SteeringRows } from "../steering-rows.ts";

/**
 * Where shuffled-label twins come from: the dataset of the direction, whose labels are shuffled and the difference of means fitted anew,
 * or vectors that were fitted so elsewhere (for one steered layer).
 */
export type ShuffledTwins =
  | {
      dataset: SweepDataset;
      label: string;
      positive?: LabelValue;
      /** Labels are shuffled within groups, and groups of one label exchange theirs (default: as `sweepLayers` groups rows). */
      group?: string;
      where?: (row: number) => boolean;
      /** How many (5). */
      count?: number;
    }
  | { vectors: readonly Float32Array[] };

export const shuffledTwinsSchema = z.union([
  z.strictObject({
    ...datasetShape,
    group: z.string().min(1).optional(),
    count: z.int().min(1).default(5),
  }),
  z.strictObject({ vectors: z.array(z.instanceof(Float32Array)).min(1) }),
]);

/** Directions that carry what any split of these rows carries, and nothing of the label; each of the norm of the direction, layer by layer. */
export async function shuffledTwins(
  rows: SteeringRows,
  given: z.infer<typeof shuffledTwinsSchema>,
  seed: number,
): Promise<SteeringRows[]> {
  if ("vectors" in given) return given.vectors.map((vector) => givenTwin(rows, vector));
  const { dataset, label, positive, group, where, count } = given;
  const missing = [...rows.keys()].find((layer) => !dataset.layers.includes(layer));
  if (missing !== undefined)
    throw new ProbeError(
      "bad_option",
      `shuffled: layer ${missing} is not in the dataset, which holds ${dataset.layers.join(", ")}.`,
    );
  const read = await sweepRows(dataset, {
    label,
    ...(positive === undefined ? {} : { positive }),
    ...(group === undefined ? {} : { group }),
    ...(where === undefined ? {} : { where }),
  });
  const random = createRandom(seed, "shuffled-label twins");
  const shuffles = Array.from({ length: count }, () => shuffleLabels({ ...read, random }));
  const fitted = shuffles.map(() => new Map<number, Float64Array>());
  for (const layer of rows.keys()) {
    const values = await layerOf(dataset, layer);
    shuffles.forEach((labels, s) =>
      fitted[s]!.set(layer, meansApart(values, dataset.hiddenSize, { kept: read.kept, labels })),
    );
  }
  return fitted.map((vectors) => withNormsOf(rows, (layer) => vectors.get(layer)!));
}

function givenTwin(rows: SteeringRows, vector: Float32Array): SteeringRows {
  const [[layer, own], ...others] = [...rows] as [[number, Float32Array], ...unknown[]];
  if (others.length > 0)
    throw new ProbeError(
      "bad_option",
      "shuffled: vectors stand for one steered layer; for several give a dataset and its label.",
    );
  if (vector.length !== own.length || vector.every((value) => value === 0) || !vector.every(Number.isFinite))
    throw new ProbeError(
      "bad_option",
      `shuffled: each vector needs ${own.length} finite numbers that are not all zero, as the direction of layer ${layer} has.`,
    );
  return withNormsOf(rows, () => vector);
}

/** mean(label 1) − mean(label 0), in float64. Shuffled labels keep (nearly) the class sizes, so neither is empty but in data of two rows. */
function meansApart(
  values: Float32Array,
  width: number,
  { kept, labels }: { kept: Uint32Array; labels: Uint8Array },
): Float64Array {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  if (positives === 0 || positives === labels.length)
    throw new ProbeError(
      "one_class",
      "shuffled: labels of these groups cannot be shuffled, since all rows got one class: give more groups.",
    );
  const difference = new Float64Array(width);
  kept.forEach((row, i) => {
    const weight = labels[i] ? 1 / positives : -1 / (labels.length - positives);
    for (let j = 0; j < width; j++) difference[j]! += weight * values[row * width + j]!;
  });
  return difference;
}

import { meanDifference, type ActivationDataset } from "@residua/analysis";
import { layerValues } from "../run/layer-values.ts";
import { refuseOtherLayer } from "./pick-layer.ts";
import { projectRows } from "./project-rows.ts";
import type { LayerScorer, Scorer } from "./scorer.ts";

type Value = string | number | boolean;

/** A label of two values, and the rows that the difference is made of. */
export interface TwoValues {
  readonly label: string;
  readonly positive: Value;
  readonly negative: Value;
  /** Rows of this split alone, so that the others stay unseen. */
  readonly split: string | null;
}

/**
 * mean(positive rows) − mean(negative rows) of each layer of a dataset, made when it is first asked for. The score is the projection
 * on the unit direction; the threshold lies half-way between the means of the two classes.
 */
export function meanDifferenceScorer(
  dataset: ActivationDataset,
  { label, positive, negative, split }: TwoValues,
  { place, alone }: { place: string; alone: boolean },
): Scorer {
  const name = `mean difference of ${label}${alone ? "" : ` in ${place}`}`;
  const made = new Map<number, Promise<LayerScorer>>();
  const where = split === null ? {} : { where: { split } };
  const make = async (layer: number): Promise<LayerScorer> => {
    const { model } = dataset.manifest;
    const direction = await meanDifference(dataset, {
      label,
      layer,
      positive,
      ...where,
      ...(model !== null && { model }),
    });
    return {
      layer,
      origin: `mean(${String(positive)}) − mean(${String(negative)}) of ${rowsText(place, split)}`,
      width: dataset.hiddenSize,
      model,
      threshold: await midpoint(direction.vector, layer),
      thresholdIs: `half-way between the mean scores of ${String(positive)} and ${String(negative)}`,
      score: (values) => projectRows(values, direction.vector),
      direction,
    };
  };
  const midpoint = async (vector: Float32Array, layer: number): Promise<number> => {
    const labels = await dataset.column(label);
    const splits = split === null ? null : await dataset.column("split");
    const sums = new Map<unknown, { sum: number; n: number }>();
    for await (const { first, values } of layerValues(dataset, layer)) {
      projectRows(values, vector).forEach((score, i) => {
        if (splits !== null && splits[first + i] !== split) return;
        const own = sums.get(labels[first + i]) ?? { sum: 0, n: 0 };
        sums.set(labels[first + i], { sum: own.sum + score, n: own.n + 1 });
      });
    }
    const mean = (value: Value) => sums.get(value)!.sum / sums.get(value)!.n;
    return (mean(positive) + mean(negative)) / 2;
  };
  return {
    id: `mean:${place}:${label}`,
    name,
    measures: `projection on the ${name}`,
    layers: dataset.layers,
    above: `${label} is ${String(positive)}`,
    below: `${label} is ${String(negative)}`,
    madeOf: { place, split },
    async at(layer) {
      refuseOtherLayer(name, dataset.layers, layer);
      const before = made.get(layer);
      if (before !== undefined) return before;
      const now = make(layer);
      made.set(layer, now);
      now.catch(() => made.delete(layer));
      return now;
    },
  };
}

function rowsText(place: string, split: string | null): string {
  const of = place === "." ? "the run’s dataset" : `the dataset ${place}`;
  return split === null ? `all rows of ${of}` : `the rows of ${of} whose split is ${split}`;
}

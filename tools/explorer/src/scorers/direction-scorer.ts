import type { Direction } from "@residua/lens";
import { refuseOtherLayer } from "./pick-layer.ts";
import { projectRows } from "./project-rows.ts";
import { meanOfShown, type Scorer } from "./scorer.ts";

/** Saved directions of one name, each at its own layer: a row's score is its projection on the unit direction. */
export function directionScorer(
  directions: readonly Direction[],
  {
    name,
    file,
    above,
    below,
    model = null,
  }: {
    name: string;
    file: string;
    above?: string | undefined;
    below?: string | undefined;
    model?: string | null | undefined;
  },
): Scorer {
  const byLayer = new Map(directions.map((one) => [one.layer, one]));
  const layers = [...byLayer.keys()].sort((a, b) => a - b);
  const title = `direction ${name}`;
  return {
    id: `direction:${file}`,
    name: title,
    measures: `projection on the ${title}`,
    layers,
    above: above ?? `along ${name}`,
    below: below ?? `against ${name}`,
    madeOf: null,
    async at(layer) {
      refuseOtherLayer(title, layers, layer);
      const one = byLayer.get(layer)!;
      return Promise.resolve({
        layer,
        origin: `${file}, ${one.method}`,
        width: one.vector.length,
        model,
        threshold: null,
        thresholdIs: meanOfShown,
        score: (values) => projectRows(values, one.vector),
        direction: one,
      });
    },
  };
}

import type { LayerTarget } from "./layer-target.ts";
import type { RowSource } from "./row-source.ts";

/** Reads a layer as float32 into memory of the caller's. Throws DatasetError. */
export type LayerFiller = (layer: number, target: LayerTarget) => Promise<void>;

/** Kept beside the sources, not in them: a view that copies the methods of its source must not inherit this one unnoticed. */
const fillers = new WeakMap<RowSource, LayerFiller>();

export function setLayerFiller(source: RowSource, fill: LayerFiller): void {
  fillers.set(source, fill);
}

/** What fills memory with a layer of this very source without much memory of its own, if it can. */
export function layerFiller(source: RowSource): LayerFiller | undefined {
  return fillers.get(source);
}

import { ExplorerError } from "../explorer-error.ts";

/** Refuses a layer that a scorer does not have. */
export function refuseOtherLayer(name: string, layers: readonly number[], layer: number): void {
  if (layers.includes(layer)) return;
  throw new ExplorerError(
    "no_such_layer",
    `${name} has no layer ${layer}: choose ${layers.length === 1 ? `layer ${layers[0]}` : `one of the layers ${layers.join(", ")}`}.`,
    { layer, layers },
  );
}

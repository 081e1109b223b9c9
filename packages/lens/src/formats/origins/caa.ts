import { basename } from "node:path";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { optional, text, whole } from "../../arguments/kinds.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { FormatError } from "../format-error.ts";
import type { Direction } from "../../steering/direction.ts";
import { checkDirections } from "../check-directions.ts";
import { readPtArray } from "../pt/pt-array.ts";

/**
 * A vector of Contrastive Activation Addition, `vec_layer_L_MODEL.pt`: [hidden size], the mean difference at the output of
 * block L, as our layer L. `layer` where the file is called otherwise. Throws FormatError.
 */
export async function readCaaVector(path: string, layer?: number): Promise<Direction> {
  checkFormatArguments("readCaaVector", { path: [path, text], layer: [layer, optional(whole(0))] });
  const named = /^vec_layer_(\d{1,6})(?:_.*)?\.pt$/.exec(basename(path))?.[1];
  if (layer === undefined && named === undefined) {
    throw new FormatError(
      "layer_convention",
      `${basename(path)} does not say its layer as vec_layer_L_MODEL.pt does; give it`,
    );
  }
  if (layer !== undefined && named !== undefined && layer !== Number(named)) {
    throw new FormatError("layer_convention", `${basename(path)} is of layer ${named}, not ${layer}`, {
      layer,
    });
  }
  const direction = {
    layer: layer ?? Number(named),
    vector: storedFloats(await readPtArray(path, 1), path),
    method: "contrastive activation addition: mean of differences",
  };
  checkDirections([direction], {}, path);
  return direction;
}

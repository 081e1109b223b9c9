import { join } from "node:path";
import * as z from "zod";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text } from "../../arguments/kinds.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { convertLayer } from "../conventions/layer-convention.ts";
import { readJsonFile } from "../files/read-json-file.ts";
import { FormatError } from "../format-error.ts";
import type { Direction } from "../../steering/direction.ts";
import { checkDirections } from "../check-directions.ts";
import { readPtArray } from "../pt/pt-array.ts";

/** A direction and the token that it was read at: -1 is the last of the prompt's template, -2 the one before. */
export interface RefusalDirection extends Direction {
  readonly position: number;
}

const method = "refusal_direction: mean harmful − mean harmless";

const metadataSchema = z.looseObject({ pos: z.int().negative(), layer: z.int().nonnegative() });

/**
 * The chosen direction of refusal_direction: a folder with `direction.pt` [hidden size] and `direction_metadata.json`
 * {pos, layer}. Its layer L is the input of block L, which is our layer L − 1. Throws FormatError, `layer_convention` for
 * its layer 0, the embedding.
 */
export async function readRefusalDirection(folder: string): Promise<RefusalDirection> {
  checkFormatArguments("readRefusalDirection", { folder: [folder, text] });
  const path = join(folder, "direction.pt");
  const { pos, layer } = await readMetadata(join(folder, "direction_metadata.json"));
  const direction = {
    layer: convertLayer({ from: "refusal-direction", to: "residua", layer }),
    vector: storedFloats(await readPtArray(path, 1), path),
    position: pos,
    method,
  };
  checkDirections([direction], {}, path);
  return direction;
}

/**
 * The candidates of refusal_direction, `mean_diffs.pt` of shape `[positions, layers, hiddenSize]`: one direction for each position and
 * each layer from our layer 0. Their layer 0, the embedding, is left out, and our last layer is not among them.
 */
export async function readRefusalMeanDifferences(path: string): Promise<RefusalDirection[]> {
  const array = await readPtArray(path, 3);
  const [positions, layers, width] = array.shape as [number, number, number];
  const values = storedFloats(array, path);
  const directions: RefusalDirection[] = [];
  for (let p = 0; p < positions; p++) {
    for (let index = 1; index < layers; index++) {
      const at = (p * layers + index) * width;
      directions.push({
        layer: convertLayer({ from: "refusal-direction", to: "residua", layer: index, layers }),
        position: p - positions,
        vector: values.slice(at, at + width),
        method,
      });
    }
    checkDirections(directions.slice(-(layers - 1)), {}, path);
  }
  return directions;
}

async function readMetadata(path: string): Promise<{ pos: number; layer: number }> {
  const parsed = metadataSchema.safeParse(await readJsonFile(path));
  if (parsed.success) return parsed.data;
  throw new FormatError("format_invalid", `${path} is not {"pos": -1, "layer": 12}`);
}

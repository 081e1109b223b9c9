import { basename } from "node:path";
import { storedFloats } from "../../formats/arrays/stored-floats.ts";
import { openSafetensors } from "../../formats/safetensors/read-safetensors.ts";
import { type Direction, direction } from "../direction.ts";
import { SteeringError } from "../steering-error.ts";

export interface SaeDirectionOptions {
  /** Which feature: a row of the decoder, from 0. */
  feature: number;
  /**
   * The layer whose output the autoencoder was trained on: `blocks.5.hook_resid_post` is 5, `blocks.5.hook_resid_pre` is 4. No file names
   * it in a way that can be relied on.
   */
  layer: number;
  /** Default `"W_dec"`, of shape `[features, hiddenSize]`. */
  tensor?: string;
  /** The model's hidden size, to be sure that the tensor is not transposed. */
  hiddenSize?: number;
  name?: string;
}

/**
 * The decoder row of one feature of a sparse autoencoder, from a safetensors file, of which nothing else is read. Throws SteeringError
 * `steering_width` where the tensor looks transposed, `direction_file` for a feature that it does not have; FormatError.
 */
export async function saeDirection(path: string, options: SaeDirectionOptions): Promise<Direction> {
  const { feature, layer, tensor = "W_dec", hiddenSize, name } = options;
  const file = await openSafetensors(path);
  try {
    const shape = file.entries.get(tensor)?.shape;
    if (shape !== undefined) checkShape(shape, { path, tensor, feature, hiddenSize });
    const row = await file.readRows(tensor, feature, 1);
    const vector = storedFloats(row, `feature ${feature} of ${tensor}`);
    return direction({
      layer,
      vector,
      name,
      method: `SAE decoder row ${feature} of ${tensor} in ${basename(path)}`,
    });
  } finally {
    await file.close();
  }
}

interface Asked {
  path: string;
  tensor: string;
  feature: number;
  hiddenSize: number | undefined;
}

function checkShape(shape: readonly number[], { path, tensor, feature, hiddenSize }: Asked): void {
  const [features = 0, width = 0] = shape;
  const is = `${tensor} of ${path} has shape [${shape.join(", ")}]`;
  if (shape.length !== 2 || (hiddenSize !== undefined && width !== hiddenSize)) {
    const wanted = `[features, ${hiddenSize ?? "hidden size"}]`;
    throw new SteeringError(
      "steering_width",
      `${is}; expected ${wanted} (a transposed decoder is not read)`,
      { shape },
    );
  }
  if (hiddenSize === undefined && features < width) {
    throw new SteeringError(
      "steering_width",
      `${is}: fewer features than numbers a row, so it may be transposed; say the model's hiddenSize to be sure`,
      { shape },
    );
  }
  if (!Number.isInteger(feature) || feature < 0 || feature >= features) {
    throw new SteeringError(
      "direction_file",
      `feature ${feature} asked; ${is}: allowed are 0 to ${features - 1}`,
    );
  }
}

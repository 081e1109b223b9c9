import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { aNumber, listOf, text } from "../../arguments/kinds.ts";
import type { StoredArray } from "../arrays/stored-array.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { convertLayer } from "../conventions/layer-convention.ts";
import { FormatError } from "../format-error.ts";
import type { ImportedRows } from "../imported-rows.ts";
import { openSafetensors } from "../safetensors/read-safetensors.ts";

/** The prompt's tokens and the residual stream at each, by layer. */
export interface VllmHiddenStates {
  readonly tokenIds: readonly number[];
  /** In the order of the ids that were given. */
  readonly layers: readonly ImportedRows[];
}

/**
 * A file of vLLM's `extract_hidden_states`: `hidden_states` [tokens, layers, hidden size] and `token_ids` [tokens]. It does
 * not say which layers: `layerIds` are the server's `eagle_aux_hidden_state_layer_ids`, which count blocks from 1 (id n is the
 * last block's output, before the final norm). Throws FormatError, `layer_convention` for id 0.
 */
export async function readVllmHiddenStates(
  path: string,
  layerIds: readonly number[],
): Promise<VllmHiddenStates> {
  checkFormatArguments("readVllmHiddenStates", { path: [path, text], layerIds: [layerIds, listOf(aNumber)] });
  const layers = layerIds.map((layer) => convertLayer({ from: "vllm-hidden-states", to: "residua", layer }));
  const file = await openSafetensors(path);
  try {
    const [states, ids] = [await file.read("hidden_states"), await file.read("token_ids")];
    const [tokens, count, width] = states.shape;
    const tokenIds = wholeNumbers(ids, path);
    if (states.shape.length !== 3 || tokens !== tokenIds.length || count !== layers.length) {
      throw new FormatError(
        "format_invalid",
        `${path}: hidden_states is [${states.shape.join(", ")}] with ${tokenIds.length} token ids and ${layers.length} layer ids; expected [tokens, layers, hidden size]`,
        { shape: states.shape },
      );
    }
    const values = storedFloats(states, path);
    return {
      tokenIds,
      layers: layers.map((layer, i) => ({ layer, ...rowsOf(values, tokens, count, width!, i) })),
    };
  } finally {
    await file.close();
  }
}

function rowsOf(values: Float32Array, tokens: number, layers: number, width: number, layer: number) {
  const rows = new Float32Array(tokens * width);
  for (let token = 0; token < tokens; token++) {
    const at = (token * layers + layer) * width;
    rows.set(values.subarray(at, at + width), token * width);
  }
  return { count: tokens, width, rows };
}

function wholeNumbers({ dtype, bytes, shape }: StoredArray, path: string): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if ((dtype !== "int64" && dtype !== "int32") || shape.length !== 1) {
    throw new FormatError(
      "format_invalid",
      `${path}: token_ids is ${dtype} [${shape.join(", ")}]; expected int64 [tokens]`,
    );
  }
  return Array.from({ length: shape[0]! }, (_, i) =>
    dtype === "int64" ? Number(view.getBigInt64(8 * i, true)) : view.getInt32(4 * i, true),
  );
}

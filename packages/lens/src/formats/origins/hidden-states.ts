import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { aNumber, anyText, fields, listOf, mapOf, oneOf, optional } from "../../arguments/kinds.ts";
import { type StoredArray, storedArray } from "../arrays/stored-array.ts";
import { storedFloats } from "../arrays/stored-floats.ts";
import { convertLayer } from "../conventions/layer-convention.ts";
import {
  checkProcessedWeights,
  layerOfTransformerLensName,
  type TransformerLensWeights,
} from "../conventions/transformer-lens-name.ts";
import { FormatError } from "../format-error.ts";
import type { ImportedRows } from "../imported-rows.ts";
import { chosenTokens, type TokenChoice } from "./chosen-tokens.ts";

const rowOptions = {
  layers: listOf(aNumber),
  tokens: oneOf(["last", "all"]),
  attentionMask: optional(storedArray),
};

/**
 * Rows out of `hidden_states` of transformers: embeddings, then one array [examples, tokens, hidden size] for each block, of
 * which the last is after the final norm. `layers` are ours (L is hidden_states[L + 1]); the last one is not there, and asking
 * for it is an error. Throws FormatError.
 */
export function fromHuggingFaceHiddenStates(
  hiddenStates: readonly StoredArray[],
  options: { layers: readonly number[] } & TokenChoice,
): ImportedRows[] {
  checkFormatArguments("fromHuggingFaceHiddenStates", {
    hiddenStates: [hiddenStates, listOf(storedArray)],
    options: [options, fields(rowOptions)],
  });
  const { layers, ...choice } = options;
  const blocks = hiddenStates.length - 1;
  return layers.map((layer) => {
    const index = convertLayer({ from: "residua", to: "huggingface", layer, layers: blocks });
    return pickRows(layer, hiddenStates[index]!, choice, `hidden_states[${index}]`);
  });
}

/**
 * Rows out of a cache of TransformerLens: arrays [examples, tokens, hidden size] by hook name. `layers` are ours: L is
 * `blocks.L.hook_resid_post`, or `blocks.(L + 1).hook_resid_pre` where that is there instead. Errors `layer_convention` for
 * weights whose stream is not the model's own, `format_missing`.
 */
export function fromTransformerLens(
  cache: ReadonlyMap<string, StoredArray>,
  options: { layers: readonly number[]; weights: TransformerLensWeights } & TokenChoice,
): ImportedRows[] {
  checkFormatArguments("fromTransformerLens", {
    cache: [cache, mapOf(storedArray)],
    options: [options, fields({ ...rowOptions, weights: anyText })],
  });
  const { layers, weights, ...choice } = options;
  checkProcessedWeights(weights);
  return layers.map((layer) => {
    const names = [`blocks.${layer}.hook_resid_post`, `blocks.${layer + 1}.hook_resid_pre`];
    const name = names.find((hook) => cache.has(hook));
    if (name === undefined) {
      throw new FormatError("format_missing", `the cache has neither ${names.join(" nor ")}`, { layer });
    }
    return pickRows(layerOfTransformerLensName(name), cache.get(name)!, choice, name);
  });
}

function pickRows(layer: number, array: StoredArray, choice: TokenChoice, called: string): ImportedRows {
  // A cache may have no axis of examples.
  const shape = array.shape.length === 2 ? [1, ...array.shape] : array.shape;
  const [examples, tokens, width] = shape;
  if (examples === undefined || tokens === undefined || width === undefined || shape.length > 3) {
    throw new FormatError(
      "format_invalid",
      `${called} has the shape [${array.shape.join(", ")}]; expected [examples, tokens, hidden size]`,
    );
  }
  const values = storedFloats(array, called);
  const picked = chosenTokens(choice, examples, tokens);
  const rows = new Float32Array(picked.length * width);
  picked.forEach((token, i) => rows.set(values.subarray(token * width, (token + 1) * width), i * width));
  return { layer, count: picked.length, width, rows };
}

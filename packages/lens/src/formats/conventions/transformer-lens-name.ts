import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";
import { convertLayer } from "./layer-convention.ts";

/**
 * What was done to the weights when the model was loaded. TransformerLens's default centres the residual stream of models
 * with LayerNorm, so that their activations and directions are others than the model's own; with RMSNorm there is no mean to
 * take away, and folding the norms leaves the stream as it is. "unprocessed": loaded with `from_pretrained_no_processing`.
 */
export type TransformerLensWeights = "unprocessed" | "processed-rmsnorm" | "processed-layernorm";

/** Error `layer_convention` for weights whose residual stream is not the model's own (C19). */
export function checkProcessedWeights(weights: TransformerLensWeights): void {
  if (weights === "unprocessed" || weights === "processed-rmsnorm") return;
  throw new FormatError(
    "layer_convention",
    `weights ${JSON.stringify(weights)}: TransformerLens centred this residual stream, which is not the model's own; load the model with from_pretrained_no_processing, or say "processed-rmsnorm" if its norms are RMSNorm`,
    { weights },
  );
}

/**
 * The layer of a TransformerLens name: `blocks.L.hook_resid_post` is L, `blocks.L.hook_resid_pre` is L − 1. Error
 * `layer_convention` for any other hook, and for `blocks.0.hook_resid_pre`, the embedding.
 */
export function layerOfTransformerLensName(name: string, layers?: number): number {
  checkFormatArguments("layerOfTransformerLensName", { name: [name, text] });
  const [, index, site] = /^blocks\.(\d{1,6})\.hook_resid_(post|pre)$/.exec(name) ?? [];
  if (index === undefined) {
    throw new FormatError(
      "layer_convention",
      `${JSON.stringify(name)} is not the residual stream after a block; expected blocks.L.hook_resid_post or blocks.L.hook_resid_pre`,
      { name },
    );
  }
  const from = site === "post" ? "transformer-lens-post" : "transformer-lens-pre";
  return convertLayer({ from, to: "residua", layer: Number(index), ...(layers !== undefined && { layers }) });
}

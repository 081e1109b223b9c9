import type { LogitLens, LogitLensReading } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { LogitLensTable } from "../results/logit-lens.ts";
import { resultSchemaVersion } from "../results/result-version.ts";

const places = z.array(z.int()).min(1).readonly();
const lensSchema = z.looseObject({
  model: z.string(),
  layers: places,
  positions: places,
  at: z.custom((given) => typeof given === "function", "a function of a layer and a position"),
});

/**
 * What `lens.local.logitLens` read, as plain JSON: of each layer and token the likeliest next tokens, the entropy and the divergence
 * from the last layer. Row p says what follows the token at p. Throws ProbeError `not_finite`, InvalidRequestError.
 */
export function logitLensTable(logitLens: LogitLens): LogitLensTable {
  checkOptions(lensSchema, logitLens, "logitLensTable", "logitLens");
  const { model, layers, positions } = logitLens;
  return {
    schemaVersion: resultSchemaVersion,
    kind: "logit-lens",
    model,
    tokens: positions.map((position) => {
      const { id, text } = logitLens.at({ layer: layers[0]!, position }).token;
      return { position, id, text };
    }),
    layers: layers.map((layer) => ({
      layer,
      readings: positions.map((position) => reading(logitLens.at({ layer, position }))),
    })),
  };
}

function reading({ layer, position, top, entropy, kl }: LogitLensReading) {
  const numbers = [entropy, kl, ...top.map(({ logprob }) => logprob)];
  if (!numbers.every(Number.isFinite)) {
    throw new ProbeError(
      "not_finite",
      `The logit lens of layer ${layer} at position ${position} holds a number that is not finite: its row or the weights are damaged.`,
      { layer, position },
    );
  }
  return {
    // JSON has no −0.
    top: top.map(({ id, text, logprob }) => ({ id, text, logprob: logprob + 0 })),
    entropy: entropy + 0,
    kl: kl + 0,
  };
}

import { APIAbortError, ResiduaError } from "@residua/client";
import type { Capture, CapturedToken, LogitLensPrompt } from "@residua/lens";
import { tokenNames } from "../api/token-name.ts";
import { contextAt } from "../api/wire-logprobs.ts";
import type { Model } from "../model.ts";
import { anyRule, checkOptions, flagRule } from "../check-options.ts";
import { optionError } from "../option-error.ts";

/** Rows of the stream that the logit lens reads. */
export interface LensRows {
  /** Ascending: those to be told of. */
  readonly layers: readonly number[];
  readonly positions: number;
  readonly tokens: readonly CapturedToken[];
  /** [hiddenSize], of one of `layers` or of the model's last one. */
  row(layer: number, position: number): Float32Array;
}

export function isCapture(of: Capture | LogitLensPrompt): of is Capture {
  return typeof (of as Partial<Capture> | null)?.row === "function";
}

/** Throws `other_model` and `layer_not_captured`. */
export function rowsOfCapture(
  { config }: Model,
  capture: Capture,
  { layers: asked, checkpoint }: { layers: readonly number[] | undefined; checkpoint: string },
): LensRows {
  const { hiddenSize, positions, tokens, server } = capture;
  if (hiddenSize !== config.hiddenSize || capture.layers.some((layer) => layer >= config.layers)) {
    throw new ResiduaError(
      "other_model",
      `the capture has layers ${capture.layers.join(", ")} of width ${hiddenSize}, and the model has ${config.layers} layers of width ${config.hiddenSize}: it is of another model`,
      { hiddenSize },
    );
  }
  // Servers have names of their own for the same weights.
  if (server.profile === "local" && server.checkpoint !== checkpoint) {
    throw new ResiduaError(
      "other_model",
      `the capture is of ${server.checkpoint}, and this model is ${checkpoint}; if they are the same weights, give openLocal the same checkpoint`,
      { captured: server.checkpoint, checkpoint },
    );
  }
  const last = config.layers - 1;
  const missing = [...(asked ?? []), last].find((layer) => !capture.layers.includes(layer));
  if (missing !== undefined) {
    const why = missing === last ? ": the last layer gives the final distribution, so capture it too" : "";
    throw new ResiduaError(
      "layer_not_captured",
      `layer ${missing} is not in the capture, which has ${capture.layers.join(", ")}${why}`,
      { layer: missing, layers: capture.layers },
    );
  }
  return {
    layers: asked ?? capture.layers,
    positions,
    tokens,
    row: (layer, position) => capture.row({ layer, position }),
  };
}

/** Runs the prompt. Throws EngineRequestError, `invalid_option` and APIAbortError. */
export async function rowsOfPrompt(
  model: Model,
  of: LogitLensPrompt,
  { layers, signal }: { layers: readonly number[] | undefined; signal: AbortSignal | undefined },
): Promise<LensRows> {
  const { config, tokenizer } = model;
  const last = config.layers - 1;
  const asked = layers ?? Array.from({ length: config.layers }, (_, layer) => layer);
  const capture = [...new Set([...asked, last])];
  const prompt = tokensOf(of, tokenizer);
  const request = { prompt, maxTokens: 1, temperature: 0, capture, ...(signal && { signal }) };
  const [generation] = await model.generate([request]).catch((error: unknown) => {
    throw signal?.aborted === true ? new APIAbortError() : error;
  });
  const run = generation!.capture!;
  const name = tokenNames(tokenizer);
  return {
    layers: asked,
    positions: run.positions,
    tokens: prompt.map((id, i) => ({
      id,
      // As in a capture: a BOS adds nothing to the text.
      text: i === 0 && id === config.bosTokenId ? null : name(id, contextAt(prompt, i)),
      role: "prompt",
    })),
    row(layer, position) {
      const values = run.values[run.layers.indexOf(layer)]!;
      return values.subarray(position * config.hiddenSize, (position + 1) * config.hiddenSize);
    },
  };
}

const promptRules = { prompt: anyRule, add_special_tokens: flagRule };

function tokensOf(of: LogitLensPrompt, tokenizer: Model["tokenizer"]): readonly number[] {
  const { prompt, add_special_tokens: addSpecialTokens = true } = checkOptions(
    of,
    promptRules,
    "the prompt's object",
  );
  if (typeof prompt === "string") return tokenizer.encode(prompt, { addSpecialTokens });
  if (Array.isArray(prompt)) return prompt as readonly number[];
  throw optionError("prompt", prompt, "a capture, or { prompt } of one text or one list of token ids");
}

import { type Known, type ModelDescription, type ProfileName, ResiduaError } from "@residua/client";

import { checkOptionArguments } from "../arguments/check-arguments.ts";
import { fields, whole } from "../arguments/kinds.ts";

/** Most numbers that a capture may have at the hosted API. Source: Create Completion Job. */
export const captureLimit = 33_554_432;

export interface CaptureSize {
  /** How many layers. */
  layers: number;
  promptTokens: number;
  maxTokens: number;
  hiddenSize: number;
}

const sizeKind = fields({
  layers: whole(0),
  promptTokens: whole(0),
  maxTokens: whole(0),
  hiddenSize: whole(0),
});

/**
 * Numbers that the server counts for a capture: layers × (prompt tokens + max_tokens) × hidden size. Throws `invalid_option`.
 */
export function captureNumbers(size: CaptureSize): number {
  checkOptionArguments("captureNumbers", { size: [size, sizeKind] });
  const { layers, promptTokens, maxTokens, hiddenSize } = size;
  return layers * (promptTokens + maxTokens) * hiddenSize;
}

/** What would fit instead: so many layers at the tokens asked, tokens at the layers asked, or requests of some layers each. */
export interface WouldFit {
  /** 0: not one layer has room. */
  layers: number;
  /** Prompt tokens and max_tokens together. 0: not one token has room at so many layers. */
  tokens: number;
  /** Requests over which all layers fit (`split: true`); undefined where one layer alone is too much. */
  requests: number | undefined;
}

function wouldFit(size: CaptureSize, limit: number): WouldFit {
  const { layers, promptTokens, maxTokens, hiddenSize } = size;
  const most = Math.floor(limit / ((promptTokens + maxTokens) * hiddenSize));
  return {
    layers: Math.min(most, layers),
    tokens: Math.floor(limit / (layers * hiddenSize)),
    requests: most > 0 ? Math.ceil(layers / most) : undefined,
  };
}

/** Of a capture over the limit what would fit, in the words of CaptureLimitError; null for one that fits. Throws `invalid_option`. */
export function wouldFitText(size: CaptureSize, limit = captureLimit): string | null {
  checkOptionArguments("wouldFitText", { size: [size, sizeKind], limit: [limit, whole(1)] });
  return captureNumbers(size) > limit ? fitText(size, wouldFit(size, limit)) : null;
}

/** The capture is over the limit, and was not sent. `numbers` and `wouldFit` are also in `data`. */
export class CaptureLimitError extends ResiduaError {
  declare readonly code: "capture_too_large";
  readonly numbers: number;
  readonly limit: number;
  readonly wouldFit: WouldFit;

  constructor(
    size: CaptureSize,
    { limit, widthText, atLeast }: { limit: number; widthText: string; atLeast: boolean },
  ) {
    const { layers, promptTokens, maxTokens, hiddenSize } = size;
    const numbers = captureNumbers(size);
    const fit = wouldFit(size, limit);
    const sum = `${layers} layers × (${promptTokens} prompt tokens + ${maxTokens} max_tokens) × ${hiddenSize} hidden size`;
    super(
      "capture_too_large",
      `${sum} = ${atLeast ? "at least " : ""}${numbers} numbers, over the ${limit} a capture may have; nothing was sent; ` +
        `would fit: ${fitText(size, fit)} (${widthText})`,
      { ...size, numbers, limit, wouldFit: fit },
    );
    this.numbers = numbers;
    this.limit = limit;
    this.wouldFit = fit;
  }
}

function fitText({ layers, promptTokens, maxTokens }: CaptureSize, fit: WouldFit): string {
  const options = [
    fit.layers > 0 ? `${fit.layers} of ${layers} layers at ${promptTokens + maxTokens} tokens` : "",
    fit.requests === undefined ? "" : `${fit.requests} requests (split: true)`,
    // One of the prompt and one generated, at least.
    fit.tokens > 1 ? `${fit.tokens} tokens at ${layers} layers` : "",
  ].filter((option) => option !== "");
  return options.join(", or ") || "nothing at this size: not one layer has room";
}

/** How many tokens a prompt has: exactly where both are equal. */
export interface TokenBounds {
  least: number;
  most: number;
}

/**
 * A text has at least one token and at most one for each UTF-8 byte, and one more where special tokens are added.
 * A list of token ids is exact.
 */
export function tokenBounds(prompt: string | readonly number[], addSpecialTokens: boolean): TokenBounds {
  if (typeof prompt !== "string") return { least: prompt.length, most: prompt.length };
  return { least: 1, most: new TextEncoder().encode(prompt).byteLength + (addSpecialTokens ? 1 : 0) };
}

/**
 * The width that a limit counts with: the hosted API has one for every model; at another server, whose limit is memory,
 * it is the real width, and undefined where that is not known.
 */
export function countedWidth(
  { hiddenSize, observedHiddenSize }: Pick<ModelDescription, "hiddenSize" | "observedHiddenSize">,
  profile: ProfileName,
): Known<number> | undefined {
  if (profile === "acs" || hiddenSize.source !== "default") return hiddenSize;
  const { value, source } = observedHiddenSize;
  return value === undefined ? undefined : { value, source };
}

/** What is known of a capture's size before it is sent. */
export interface LimitQuestion {
  /** undefined: all layers of a model whose number of layers is not known. */
  layers: number | undefined;
  tokens: TokenBounds;
  maxTokens: number;
  hiddenSize: Known<number> | undefined;
  /** The profile's. */
  limit: number;
}

/** `unknown`: what is not known decides. */
export function judgeCapture(question: LimitQuestion): "fits" | "unknown" | "exceeds" {
  const { layers = 1, tokens, maxTokens, hiddenSize, limit } = question;
  if (hiddenSize === undefined) return "unknown";
  const least = { layers, promptTokens: tokens.least, maxTokens, hiddenSize: hiddenSize.value };
  if (captureNumbers(least) > limit) return "exceeds";
  const most = captureNumbers({ ...least, promptTokens: tokens.most });
  return question.layers !== undefined && most <= limit ? "fits" : "unknown";
}

/**
 * `fits` and `unknown` are sent (in the second the server decides); what certainly exceeds is thrown as CaptureLimitError.
 * The text's bound counts as the tokens where the answer is not exact.
 */
export function checkCaptureLimit(question: LimitQuestion): "fits" | "unknown" {
  const { layers = 1, tokens, maxTokens, hiddenSize, limit } = question;
  const judged = judgeCapture(question);
  if (judged !== "exceeds" || hiddenSize === undefined) return judged === "fits" ? "fits" : "unknown";
  const least = { layers, promptTokens: tokens.least, maxTokens, hiddenSize: hiddenSize.value };
  const atLeast = question.layers === undefined || tokens.least !== tokens.most;
  throw new CaptureLimitError(least, { limit, widthText: sourceText(hiddenSize), atLeast });
}

function sourceText({ value, source }: Known<number>): string {
  const from = {
    catalogue: "from the catalogue",
    stated: "as stated",
    "built-in": "from the built-in table",
    observed: "as an earlier capture showed",
    default: "is the server's largest: its catalogue states none for this model",
    unknown: "",
  };
  return `hidden size ${value} ${from[source]}`;
}

import { type Known, ResiduaError } from "@residua/client";

/** Most numbers that a capture may have. Source: Create Completion Job. */
export const captureLimit = 33_554_432;

export interface CaptureSize {
  /** How many layers. */
  layers: number;
  promptTokens: number;
  maxTokens: number;
  hiddenSize: number;
}

/** Numbers that the server counts for a capture: layers × (prompt tokens + max_tokens) × hidden size. */
export function captureNumbers({ layers, promptTokens, maxTokens, hiddenSize }: CaptureSize): number {
  return layers * (promptTokens + maxTokens) * hiddenSize;
}

/** The capture is over the limit, and was not sent. `numbers` and `wouldFit` are also in `data`. */
export class CaptureLimitError extends ResiduaError {
  declare readonly code: "capture_too_large";
  readonly numbers: number;
  readonly limit: number;
  readonly wouldFit: { layers: number; tokens: number };

  constructor(size: CaptureSize, hiddenSizeFrom: string, atLeast: boolean) {
    const { layers, promptTokens, maxTokens, hiddenSize } = size;
    const numbers = captureNumbers(size);
    const tokens = promptTokens + maxTokens;
    const wouldFit = {
      layers: Math.floor(captureLimit / (tokens * hiddenSize)),
      tokens: Math.floor(captureLimit / (layers * hiddenSize)),
    };
    const options = [
      wouldFit.layers > 0 ? `${wouldFit.layers} of ${layers} layers at ${tokens} tokens` : "",
      wouldFit.tokens > 0 ? `${wouldFit.tokens} tokens at ${layers} layers` : "",
    ].filter((option) => option !== "");
    const sum = `${layers} layers × (${promptTokens} prompt tokens + ${maxTokens} max_tokens) × ${hiddenSize} hidden size`;
    super(
      "capture_too_large",
      `${sum} = ${atLeast ? "at least " : ""}${numbers} numbers, over the ${captureLimit} a capture may have; nothing was sent; ` +
        `would fit: ${options.join(", or ") || "nothing at this size"} (${hiddenSizeFrom})`,
      { ...size, numbers, limit: captureLimit, wouldFit },
    );
    this.numbers = numbers;
    this.limit = captureLimit;
    this.wouldFit = wouldFit;
  }
}

/** How many tokens a prompt has: exactly for token ids; between bounds for text without a tokenizer. */
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
 * `fits` and `unknown` are sent (in the second the server decides); what certainly exceeds is thrown as CaptureLimitError.
 * The text's bound counts as the tokens where the answer is not exact.
 */
export function checkCaptureLimit(request: {
  /** undefined: all layers of a model whose number of layers is not known. */
  layers: number | undefined;
  tokens: TokenBounds;
  maxTokens: number;
  hiddenSize: Known<number>;
}): "fits" | "unknown" {
  const { layers = 1, tokens, maxTokens, hiddenSize } = request;
  const least = { layers, promptTokens: tokens.least, maxTokens, hiddenSize: hiddenSize.value };
  if (captureNumbers(least) > captureLimit) {
    const exact = request.layers !== undefined && tokens.least === tokens.most;
    throw new CaptureLimitError(least, sourceText(hiddenSize), !exact);
  }
  const most = captureNumbers({ ...least, promptTokens: tokens.most });
  return request.layers !== undefined && most <= captureLimit ? "fits" : "unknown";
}

function sourceText({ value, source }: Known<number>): string {
  if (source === "catalogue") return `hidden size ${value} from the catalogue`;
  if (source === "built-in") return `hidden size ${value} from the built-in table`;
  return `hidden size ${value} is the server's largest: its catalogue states none for this model`;
}

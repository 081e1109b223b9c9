import { checkIntervention, checkLayers, checkSteering } from "./check-edits.ts";
import { checkSampling } from "./check-sampling.ts";
import { EngineRequestError } from "./engine-error.ts";
import type { EngineFaults } from "./faults.ts";
import type { Intervention } from "./interventions.ts";
import type { PositionLogprobs } from "./logprobs.ts";
import type { ModelConfig } from "./model-config.ts";
import type { PromptLogprobs } from "./prompt-logprobs.ts";
import type { Capture } from "./residual-capture.ts";
import { isWhole, requireField } from "./require-field.ts";
import type { SteeringVector } from "./steering.ts";

export interface GenerationRequest {
  /** Token ids, at least one. */
  readonly prompt: readonly number[];
  /** At least 1; prompt and generated tokens together fit the model's context. */
  readonly maxTokens: number;
  /** Choices to generate, default 1. They share one pass over the prompt. */
  readonly n?: number;
  /**
   * Generate this many candidates, at least n (the default), and keep the n of the highest total log probability,
   * the best first. `onToken` speaks of every candidate.
   */
  readonly bestOf?: number;
  /** Default 1; 0 takes the likeliest token. */
  readonly temperature?: number;
  /** Above 0, at most 1, which is the default. */
  readonly topP?: number;
  /** Sample from this many likeliest tokens; 0 (the default) or -1 for all. */
  readonly topK?: number;
  /** Leave out tokens less likely than this fraction of the likeliest; 0 to 1, default 0. */
  readonly minP?: number;
  /** Taken from the score of a token that was generated already; default 0. */
  readonly presencePenalty?: number;
  /** Taken from the score of a token for each time it was generated; default 0. */
  readonly frequencyPenalty?: number;
  /** Divides the score of a token of the prompt or the output; above 0, default 1. */
  readonly repetitionPenalty?: number;
  /** Added to the scores of these token ids, before the penalties; each from -100 to 100. */
  readonly logitBias?: ReadonlyMap<number, number>;
  /** Draw from these token ids only. */
  readonly allowedTokenIds?: readonly number[];
  /** A lower number runs first, requests of equal priority in order of arrival; from 0, the default. */
  readonly priority?: number;
  /** Equal seeds give equal tokens, whatever runs beside; choice j uses seed + j. Default random. */
  readonly seed?: number;
  /** The text of a choice ends before the first of these. */
  readonly stop?: readonly string[];
  /** Token ids that end a choice, as the model's end tokens do; their own text is left out. */
  readonly stopTokenIds?: readonly number[];
  /** Keep the stop text, or the stop token's text, at the end of a choice's text; default false. */
  readonly includeStopText?: boolean;
  /** Go on after the model's end tokens; default false. */
  readonly ignoreEos?: boolean;
  /**
   * Until a choice has this many tokens, no end token (with `ignoreEos` too) or stop token is drawn, and no stop text
   * that is complete by then ends it; default 0, at most maxTokens.
   */
  readonly minTokens?: number;
  /** Give each generated token's log probability, and that of this many likeliest tokens. */
  readonly logprobs?: number;
  /** The same for the prompt's tokens; -1 for the whole vocabulary. */
  readonly promptLogprobs?: number;
  /** Layers after which to keep the residual stream, -1 for the token embeddings; needs n = 1. */
  readonly capture?: readonly number[];
  readonly steering?: readonly SteeringVector[];
  /** Made after the steering of the same layer, in this order; a capture shows the stream after them. */
  readonly interventions?: readonly Intervention[];
  /** Do not read the prefix cache; what is run is still kept for others. */
  readonly skipPrefixCache?: boolean;
  /** Only requests of an equal salt share what the prefix cache holds; default none, which is a salt too. */
  readonly cacheSalt?: string;
  /** For a server that misbehaves on demand; never for a result that is to be right. */
  readonly faults?: EngineFaults;
  /** Ends the request between two passes; its promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called once, when the prompt has run and before the first token: its log probabilities, if asked for. */
  readonly onPrompt?: (promptLogprobs: Generation["promptLogprobs"]) => void;
  /** Called for each generated token of each choice, in the order of generation. What it throws ends the request. */
  readonly onToken?: (token: GeneratedToken) => void;
}

/** A token of a choice, as soon as it is generated. */
export interface GeneratedToken {
  /** Which of the request's n choices; with `bestOf` above n which candidate, in the order of generation. */
  readonly choice: number;
  readonly token: number;
  /**
   * What can be shown now; the texts of a choice in a row are its text. Held back are the bytes of an
   * unfinished character, and an end that could be the beginning of a stop text.
   */
  readonly text: string;
  /** When asked for. */
  readonly logprobs: PositionLogprobs | null;
  /** Null but for the choice's last token. */
  readonly finishReason: GeneratedChoice["finishReason"] | null;
  readonly stopReason: GeneratedChoice["stopReason"];
}

export interface GeneratedChoice {
  /** All generated tokens: an end token and the token that completed a stop text included. */
  readonly tokens: readonly number[];
  /** Without special tokens, cut before a stop text (after it with `includeStopText`). */
  readonly text: string;
  readonly finishReason: "stop" | "length";
  /** The stop text or stop token id that ended it, null for an end token or the length. */
  readonly stopReason: string | number | null;
  /** One entry a token, when asked for. */
  readonly logprobs: readonly PositionLogprobs[] | null;
}

export interface Generation {
  readonly choices: readonly GeneratedChoice[];
  /** When asked for. */
  readonly promptLogprobs: PromptLogprobs | null;
  readonly capture: Capture | null;
  /** The first tokens of the prompt that were not run, for the prefix cache had them. */
  readonly cachedTokens: number;
}

/** Throws EngineRequestError, with the field in `data.field`, for a request that cannot be run. */
export function checkRequest(request: GenerationRequest, config: ModelConfig): void {
  const { prompt, maxTokens, n = 1, capture, steering = [], interventions = [] } = request;
  const vocab = config.vocabSize;
  requireField(prompt.length > 0, "prompt", "has no token; give at least one");
  const unknown = prompt.find((token) => !isWhole(token, 0, vocab - 1));
  requireField(unknown === undefined, "prompt", `has token ${unknown}; ids run from 0 to ${vocab - 1}`);
  requireField(isWhole(maxTokens, 1), "maxTokens", `is ${maxTokens}; give a whole number from 1`);
  if (prompt.length + maxTokens > config.contextLength) {
    throw new EngineRequestError(
      "context_length_exceeded",
      `${prompt.length} prompt tokens + ${maxTokens} max_tokens = ${prompt.length + maxTokens}, over the ${config.contextLength} tokens that the model takes`,
      { field: "maxTokens", promptTokens: prompt.length, maxTokens, contextLength: config.contextLength },
    );
  }
  requireField(isWhole(n, 1), "n", `is ${n}; give a whole number from 1`);
  checkSampling(request, config);
  checkLayers("capture", capture ?? [], config, -1);
  requireField(capture === undefined || n === 1, "n", `is ${n}; a capture takes one choice`);
  steering.forEach((vector, index) => checkSteering(`steering[${index}]`, vector, config));
  interventions.forEach((one, index) => checkIntervention(`interventions[${index}]`, one, config));
}

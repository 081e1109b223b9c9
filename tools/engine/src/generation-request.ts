import { EngineRequestError } from "./engine-error.ts";
import type { EngineFaults } from "./faults.ts";
import type { PositionLogprobs } from "./logprobs.ts";
import type { ModelConfig } from "./model-config.ts";
import type { Capture } from "./residual-capture.ts";
import type { SteeringVector } from "./steering.ts";

export interface GenerationRequest {
  /** Token ids, at least one. */
  readonly prompt: readonly number[];
  /** At least 1; prompt and generated tokens together fit the model's context. */
  readonly maxTokens: number;
  /** Choices to generate, default 1. They share one pass over the prompt. */
  readonly n?: number;
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
  /** A lower number runs first, requests of equal priority in order of arrival; from 0, the default. */
  readonly priority?: number;
  /** Equal seeds give equal tokens, whatever runs beside; choice j uses seed + j. Default random. */
  readonly seed?: number;
  /** The text of a choice ends before the first of these. */
  readonly stop?: readonly string[];
  /** Give each generated token's log probability, and that of this many likeliest tokens. */
  readonly logprobs?: number;
  /** The same for the prompt's tokens; -1 for the whole vocabulary. */
  readonly promptLogprobs?: number;
  /** Layers after which to keep the residual stream; needs n = 1. */
  readonly capture?: readonly number[];
  readonly steering?: readonly SteeringVector[];
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
  /** Which of the request's n choices. */
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
  readonly stopReason: string | null;
}

export interface GeneratedChoice {
  /** All generated tokens: an end token and the token that completed a stop text included. */
  readonly tokens: readonly number[];
  /** Without special tokens, cut before a stop text. */
  readonly text: string;
  readonly finishReason: "stop" | "length";
  /** The stop text that ended it, null for an end token or the length. */
  readonly stopReason: string | null;
  /** One entry a token, when asked for. */
  readonly logprobs: readonly PositionLogprobs[] | null;
}

export interface Generation {
  readonly choices: readonly GeneratedChoice[];
  /** One entry a prompt token, null for the first, when asked for. */
  readonly promptLogprobs: readonly (PositionLogprobs | null)[] | null;
  readonly capture: Capture | null;
  /** The first tokens of the prompt that were not run, for the prefix cache had them. */
  readonly cachedTokens: number;
}

/** Throws EngineRequestError, with the field in `data.field`, for a request that cannot be run. */
export function checkRequest(request: GenerationRequest, config: ModelConfig): void {
  const { prompt, maxTokens, n = 1, capture, steering = [] } = request;
  const vocab = config.vocabSize;
  require(prompt.length > 0, "prompt", "has no token; give at least one");
  const unknown = prompt.find((token) => !whole(token, 0, vocab - 1));
  require(unknown === undefined, "prompt", `has token ${unknown}; ids run from 0 to ${vocab - 1}`);
  require(whole(maxTokens, 1, top), "maxTokens", `is ${maxTokens}; give a whole number from 1`);
  if (prompt.length + maxTokens > config.contextLength) {
    throw new EngineRequestError(
      "context_length_exceeded",
      `${prompt.length} prompt tokens + ${maxTokens} max_tokens = ${prompt.length + maxTokens}, over the ${config.contextLength} tokens that the model takes`,
      { field: "maxTokens", promptTokens: prompt.length, maxTokens, contextLength: config.contextLength },
    );
  }
  require(whole(n, 1, top), "n", `is ${n}; give a whole number from 1`);
  checkSampling(request);
  const layerRange = `layers run from 0 to ${config.layers - 1}`;
  const strange = (layers: readonly number[]) =>
    layers.find((layer, i) => !whole(layer, 0, config.layers - 1) || layers.indexOf(layer) !== i);
  const captured = strange(capture ?? []);
  require(captured === undefined, "capture", `names layer ${captured}; ${layerRange}, each once`);
  require(capture === undefined || n === 1, "n", `is ${n}; a capture takes one choice`);
  steering.forEach((vector, index) => {
    const field = `steering[${index}]`;
    const steered = strange(vector.layers);
    require(steered === undefined, `${field}.layers`, `names layer ${steered}; ${layerRange}, each once`);
    const count = vector.positions?.length ?? 1;
    const numbers = vector.layers.length * count * config.hiddenSize;
    require(vector.rows.length ===
      numbers, `${field}.rows`, `has ${vector.rows.length} numbers where ${vector.layers.length} layers × ${count} positions × ${config.hiddenSize} hidden size = ${numbers} are due`);
    require(vector.rows.every(Number.isFinite), `${field}.rows`, "holds a number that is not finite");
    require(Number.isFinite(vector.scale), `${field}.scale`, `is ${vector.scale}; give a finite number`);
    const position = vector.positions?.find((at) => !whole(at, 0, top));
    require(position ===
      undefined, `${field}.positions`, `names position ${position}; positions are whole numbers from 0`);
  });
}

function checkSampling(request: GenerationRequest): void {
  const { temperature = 1, topP = 1, topK = 0, minP = 0, stop = [] } = request;
  const { presencePenalty = 0, frequencyPenalty = 0, repetitionPenalty = 1 } = request;
  const { seed = 0, priority = 0, logprobs = 0, promptLogprobs = 0 } = request;
  const number = (field: string, value: number, holds: boolean, allowed: string) =>
    require(Number.isFinite(value) && holds, field, `is ${value}; give a number ${allowed}`);
  const wholeFrom = (field: string, value: number, from: number) =>
    require(whole(value, from, top), field, `is ${value}; give a whole number from ${from}`);
  number("temperature", temperature, temperature >= 0, "from 0");
  number("topP", topP, topP > 0 && topP <= 1, "above 0 and at most 1");
  number("minP", minP, minP >= 0 && minP <= 1, "from 0 to 1");
  number("presencePenalty", presencePenalty, true, "that is finite");
  number("frequencyPenalty", frequencyPenalty, true, "that is finite");
  number("repetitionPenalty", repetitionPenalty, repetitionPenalty > 0, "above 0");
  wholeFrom("topK", topK, -1);
  wholeFrom("seed", seed, 0);
  wholeFrom("priority", priority, 0);
  wholeFrom("logprobs", logprobs, 0);
  wholeFrom("promptLogprobs", promptLogprobs, -1);
  require(!stop.includes(""), "stop", "holds an empty text");
}

const top = Number.MAX_SAFE_INTEGER;
function whole(value: number, from: number, to: number): boolean {
  return Number.isInteger(value) && value >= from && value <= to;
}

function require(holds: boolean, field: string, problem: string): asserts holds {
  if (!holds) throw new EngineRequestError("invalid_request", `${field} ${problem}`, { field });
}

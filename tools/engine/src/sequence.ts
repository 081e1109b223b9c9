import type { GeneratedChoice, GenerationRequest } from "./generation-request.ts";
import type { KvCache } from "./kv-cache.ts";
import { positionLogprobs, type PositionLogprobs } from "./logprobs.ts";
import type { ModelConfig } from "./model-config.ts";
import { penalise } from "./penalties.ts";
import { createRandom } from "./random.ts";
import { sampleToken } from "./sampling.ts";
import { firstStop, possibleStop } from "./stop-texts.ts";
import { createTextStream } from "./text-stream.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** One choice in the making: its own cache, random stream and text. */
export interface Sequence {
  readonly index: number;
  readonly cache: KvCache;
  readonly tokens: readonly number[];
  /** Samples the next token from scores [vocabSize]; returns the finished choice, or null to go on. */
  take(scores: Float32Array): GeneratedChoice | null;
}

interface SequenceOptions {
  readonly request: GenerationRequest;
  /** The request's tokens, for the penalties; choices share it. */
  readonly promptTokens: ReadonlySet<number>;
  readonly seed: number;
  readonly index: number;
  readonly cache: KvCache;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
}

type Ending = Pick<GeneratedChoice, "text" | "finishReason" | "stopReason">;

export function createSequence(options: SequenceOptions): Sequence {
  const { request, seed, index, cache, config, tokenizer } = options;
  const { maxTokens, stop = [] } = request;
  const { temperature = 1, topP = 1, topK = 0, minP = 0 } = request;
  const sampling = { temperature, topP, topK, minP };
  const { repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0 } = request;
  const penalties = { repetitionPenalty, presencePenalty, frequencyPenalty };
  const generated = new Map<number, number>();
  const history = { prompt: options.promptTokens, generated };
  const random = createRandom((seed + index) % (Number.MAX_SAFE_INTEGER + 1));
  const stream = createTextStream(tokenizer);
  const tokens: number[] = [];
  const logprobs: PositionLogprobs[] | null = request.logprobs === undefined ? null : [];
  const longestStop = Math.max(0, ...stop.map((text) => text.length));
  let shown = 0;

  /** Adds the token that `tokens` ends in to the text; says how the choice ends, null to go on. */
  const endingAt = (token: number): Ending | null => {
    if (config.eosTokenIds.includes(token))
      return { text: stream.text, finishReason: "stop", stopReason: null };
    const searchFrom = Math.max(0, stream.text.length - longestStop + 1);
    stream.push(token);
    const hit = firstStop(stream.text, stop, searchFrom);
    if (hit !== null)
      return { text: stream.text.slice(0, hit.at), finishReason: "stop", stopReason: hit.stop };
    return tokens.length === maxTokens
      ? { text: stream.text, finishReason: "length", stopReason: null }
      : null;
  };

  return {
    index,
    cache,
    tokens,
    take(scores) {
      const token = sampleToken(penalise(scores, penalties, history), sampling, random);
      tokens.push(token);
      generated.set(token, (generated.get(token) ?? 0) + 1);
      const entry = logprobs === null ? null : positionLogprobs(scores, token, request.logprobs!);
      if (entry !== null) logprobs!.push(entry);
      const ending = endingAt(token);
      if (request.onToken !== undefined) {
        const end = ending?.text.length ?? stream.text.length - possibleStop(stream.text, stop);
        const text = stream.text.slice(shown, end);
        shown = end;
        const { finishReason = null, stopReason = null } = ending ?? {};
        request.onToken({ choice: index, token, text, logprobs: entry, finishReason, stopReason });
      }
      return ending === null ? null : { tokens, ...ending, logprobs };
    },
  };
}

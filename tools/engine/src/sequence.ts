import { changeScores } from "./change-scores.ts";
import type { GeneratedChoice, GenerationRequest } from "./generation-request.ts";
import type { KvCache } from "./kv-cache.ts";
import { positionLogprobs, type PositionLogprobs } from "./logprobs.ts";
import type { ModelConfig } from "./model-config.ts";
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
  /** The sum of its tokens' log probabilities under the model; only kept where candidates are compared. */
  readonly totalLogprob: number;
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

const nothing: ReadonlySet<number> = new Set();

type Ending = Pick<GeneratedChoice, "text" | "finishReason" | "stopReason">;

export function createSequence(options: SequenceOptions): Sequence {
  const { request, seed, index, cache, config, tokenizer } = options;
  const { maxTokens, minTokens = 0, stop = [], stopTokenIds = [], includeStopText = false } = request;
  const { n = 1, bestOf = n, logitBias = new Map<number, number>(), allowedTokenIds } = request;
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
  const allowed = allowedTokenIds === undefined ? null : new Set(allowedTokenIds);
  const endTokens = new Set(request.ignoreEos === true ? [] : config.eosTokenIds);
  const stopTokens = new Set(stopTokenIds);
  const barredEarly = new Set([...config.eosTokenIds, ...stopTokenIds]);
  const compared = bestOf > n;
  let totalLogprob = 0;
  let shown = 0;

  const stopped = (text: string, stopReason: GeneratedChoice["stopReason"]): Ending => ({
    text,
    finishReason: "stop",
    stopReason,
  });

  /** Adds the token that `tokens` ends in to the text; says how the choice ends, null to go on. */
  const endingAt = (token: number): Ending | null => {
    if (endTokens.has(token)) return stopped(stream.text, null);
    const ends = stopTokens.has(token);
    if (ends && !includeStopText) return stopped(stream.text, token);
    const searched = stream.text.length;
    stream.push(token);
    const hit = tokens.length > minTokens ? firstStop(stream.text, stop, searched) : null;
    if (hit !== null) {
      const end = includeStopText ? hit.at + hit.stop.length : hit.at;
      return stopped(stream.text.slice(0, end), hit.stop);
    }
    if (ends) return stopped(stream.text, token);
    return tokens.length === maxTokens
      ? { text: stream.text, finishReason: "length", stopReason: null }
      : null;
  };

  return {
    index,
    cache,
    tokens,
    get totalLogprob() {
      return totalLogprob;
    },
    take(scores) {
      const barred = tokens.length < minTokens ? barredEarly : nothing;
      const changed = changeScores(scores, { logitBias, penalties, barred, allowed }, history);
      const token = sampleToken(changed, sampling, random);
      tokens.push(token);
      generated.set(token, (generated.get(token) ?? 0) + 1);
      const entry = logprobs === null ? null : positionLogprobs(scores, token, request.logprobs!);
      if (entry !== null) logprobs!.push(entry);
      if (compared) totalLogprob += (entry ?? positionLogprobs(scores, token, 0)).logprob;
      const ending = endingAt(token);
      if (request.onToken !== undefined) {
        const held = includeStopText ? 0 : possibleStop(stream.text, stop);
        const end = ending?.text.length ?? stream.text.length - held;
        const text = stream.text.slice(shown, end);
        shown = end;
        const { finishReason = null, stopReason = null } = ending ?? {};
        request.onToken({ choice: index, token, text, logprobs: entry, finishReason, stopReason });
      }
      return ending === null ? null : { tokens, ...ending, logprobs };
    },
  };
}

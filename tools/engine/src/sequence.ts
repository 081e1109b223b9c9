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
  /** Samples the next token from scores [vocabSize]; returns the finished choice, or null to go on. */
  take(scores: Float32Array): GeneratedChoice | null;
}

type Ending = Pick<GeneratedChoice, "text" | "finishReason" | "stopReason">;

export function createSequence(
  request: GenerationRequest,
  seed: number,
  index: number,
  cache: KvCache,
  config: ModelConfig,
  tokenizer: Tokenizer,
): Sequence {
  const { maxTokens, temperature = 1, topP = 1, stop = [] } = request;
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
      const token = sampleToken(scores, { temperature, topP }, random);
      tokens.push(token);
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

import type { GeneratedChoice, GenerationRequest } from "./generation-request.ts";
import type { KvCache } from "./kv-cache.ts";
import { positionLogprobs, type PositionLogprobs } from "./logprobs.ts";
import type { ModelConfig } from "./model-config.ts";
import { createRandom } from "./random.ts";
import { sampleToken } from "./sampling.ts";
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
  return {
    index,
    cache,
    tokens,
    take(scores) {
      const token = sampleToken(scores, { temperature, topP }, random);
      tokens.push(token);
      logprobs?.push(positionLogprobs(scores, token, request.logprobs!));
      const finish = (text: string, finishReason: "stop" | "length", stopReason: string | null) => ({
        tokens,
        text,
        finishReason,
        stopReason,
        logprobs,
      });
      if (config.eosTokenIds.includes(token)) return finish(stream.text, "stop", null);
      const searchFrom = Math.max(0, stream.text.length - longestStop + 1);
      stream.push(token);
      const hit = firstOf(stream.text, stop, searchFrom);
      if (hit !== null) return finish(stream.text.slice(0, hit.at), "stop", hit.stop);
      return tokens.length === maxTokens ? finish(stream.text, "length", null) : null;
    },
  };
}

function firstOf(text: string, stops: readonly string[], from: number): { at: number; stop: string } | null {
  let first: { at: number; stop: string } | null = null;
  for (const stop of stops) {
    const at = text.indexOf(stop, from);
    if (at >= 0 && (first === null || at < first.at)) first = { at, stop };
  }
  return first;
}

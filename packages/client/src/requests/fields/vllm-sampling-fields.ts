import * as z from "zod";
import { field, flag, plainFlag } from "./field.ts";
import { stopAllowed, stopSchema, tokenId, tokenIdKey } from "./prompt-pieces.ts";
import { sources } from "./sources.ts";

const { sampling, server, vllm } = sources;
const penalty = z.number().min(-2).max(2).nullish();
const ids = "a list of token ids";

/** How vLLM samples and when it stops. A value that is left out takes the server's default, which can be the model's own. */
export const vllmSamplingFields = {
  max_tokens: field(
    z.int().min(0).nullish(),
    "an integer from 1, or 0 with echo: true; 16 when left out",
    server,
  ),
  min_tokens: field(z.int().min(0).optional(), "an integer from 0, at most max_tokens", sampling),
  temperature: field(z.number().min(0).max(2).nullish(), "a number from 0 to 2", sampling),
  n: field(z.int().min(1).optional(), "an integer from 1", sampling),
  top_p: field(z.number().gt(0).max(1).nullish(), "a number over 0, at most 1", sampling),
  top_k: field(z.int().min(-1).nullish(), "an integer from 1, or 0 or -1 for all", sampling),
  min_p: field(z.number().min(0).max(1).nullish(), "a number from 0 to 1", sampling),
  presence_penalty: field(penalty, "a number from -2 to 2", sampling),
  frequency_penalty: field(penalty, "a number from -2 to 2", sampling),
  repetition_penalty: field(z.number().gt(0).nullish(), "a number over 0", sampling),
  length_penalty: field(z.number().optional(), "a number, for beam search", vllm),
  seed: field(z.int().nullish(), "an integer; -1 for none", vllm),
  stop: field(stopSchema.nullish(), stopAllowed, vllm),
  stop_token_ids: field(z.array(tokenId).nullish(), ids, sampling),
  include_stop_str_in_output: plainFlag(vllm),
  ignore_eos: plainFlag(vllm),
  bad_words: field(z.array(z.string().min(1)).optional(), "a list of texts, none empty", sampling),
  allowed_token_ids: field(z.array(tokenId).min(1).nullish(), `${ids}, not empty`, sampling),
  logit_bias: field(
    z.record(tokenIdKey, z.number().min(-100).max(100)).nullish(),
    "an object from token id to a number from -100 to 100 (the server would cut more in silence)",
    vllm,
  ),
  use_beam_search: plainFlag(vllm),
  thinking_token_budget: field(z.int().min(-1).nullish(), "an integer from 0, or -1 for no limit", sampling),
  repetition_detection: field(
    z
      .strictObject({
        max_pattern_size: z.int().min(0).optional(),
        min_pattern_size: z.int().min(0).optional(),
        min_count: z.int().min(0).optional(),
      })
      .refine(
        ({ max_pattern_size: most = 0, min_pattern_size: least = 0 }) => least <= most,
        "min_pattern_size at most max_pattern_size",
      )
      .refine(
        ({ max_pattern_size: most = 0, min_count: count = 0 }) => most === 0 || count >= 2,
        "min_count from 2 where max_pattern_size is over 0",
      )
      .nullish(),
    "{ max_pattern_size, min_pattern_size, min_count }, integers from 0",
    sampling,
  ),
  priority: field(z.int().optional(), "an integer; a lower one runs first", vllm),
  watermarking: plainFlag(vllm),
  stream: flag(vllm),
  stream_options: field(
    z
      .strictObject({
        include_usage: z.boolean().nullish(),
        continuous_usage_stats: z.boolean().nullish(),
      })
      .nullish(),
    "{ include_usage, continuous_usage_stats }, each true or false, only with stream: true",
    vllm,
  ),
  stream_interval: field(z.int().min(1).nullish(), "an integer from 1: tokens in a chunk", sampling),
};

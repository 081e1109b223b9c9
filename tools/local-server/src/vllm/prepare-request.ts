import type { GenerationRequest } from "@residua/engine";
import { checkReach, type PreparedCompletion, type ServedModel } from "@residua/engine/api";
import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { readLensRequest, type LensRequest } from "./lens-request.ts";
import type { SamplingRequest } from "./request-schema.ts";
import { checkLogprobs, samplingOptions } from "./sampling-options.ts";
import { badRequest } from "./vllm-error.ts";
import { checkBounds } from "./work-bounds.ts";

/** A request of either route that passed every check. */
export interface PreparedRequest extends PreparedCompletion {
  readonly lens: LensRequest;
  /** Candidates to show for each generated token; null for none. */
  readonly logprobs: number | null;
  readonly promptLogprobs: number | null;
}

interface PrepareOptions {
  readonly served: ServedModel;
  readonly prompts: PreparedCompletion["prompts"];
  readonly lens: LensRequest;
  readonly maxTokens: number;
  readonly logprobs: number | null;
  readonly promptLogprobs: number | null;
}

/** Makes the engine's requests. Throws ApiError 400. */
export function prepareRequest(request: SamplingRequest, options: PrepareOptions): PreparedRequest {
  const { served, prompts, lens, maxTokens, logprobs, promptLogprobs } = options;
  const n = request.n ?? 1;
  const sampling = samplingOptions(request, maxTokens, served);
  checkBounds({
    prompts: prompts.length,
    n,
    promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens.length, 0),
    maxTokens,
    logprobs,
    promptLogprobs,
    captureLayers: lens.capture.length,
    hiddenSize: served.model.config.hiddenSize,
  });
  checkReach(lens.steering, "apply_steering_vectors", prompts[0]!.tokens.length + maxTokens - 1);
  const common: Omit<GenerationRequest, "prompt"> = {
    ...sampling,
    skipPrefixCache: lens.skipPrefixCache,
    ...(request.cache_salt == null ? {} : { cacheSalt: request.cache_salt }),
    ...(logprobs === null ? {} : { logprobs }),
    ...(promptLogprobs === null ? {} : { promptLogprobs }),
    ...(lens.capture.length === 0 ? {} : { capture: lens.capture }),
    ...(lens.steering.length === 0 ? {} : { steering: lens.steering }),
  };
  return {
    prompts,
    n,
    lens,
    logprobs,
    promptLogprobs,
    generations: prompts.map(({ tokens }) => ({ ...common, prompt: tokens })),
  };
}

/** What a request of either route asks for beside its prompt, before the prompt is looked at. */
export function readCommon(
  request: SamplingRequest & { logprobs?: unknown },
  logprobs: number | null | undefined,
  { served, quirks }: { served: ServedModel; quirks: ActiveQuirks },
): { lens: LensRequest; logprobs: number | null; promptLogprobs: number | null } {
  const { prompt_logprobs, stream, stream_options, cache_salt } = request;
  if (stream === true && prompt_logprobs != null && prompt_logprobs !== 0) {
    throw badRequest(
      "`prompt_logprobs` are not available when `stream=True`. (parameter=prompt_logprobs)",
      "prompt_logprobs",
    );
  }
  if (stream !== true && stream_options != null)
    throw badRequest(
      "Stream options can only be defined when `stream=True`. (parameter=stream_options)",
      "stream_options",
    );
  if (cache_salt != null && (cache_salt === "" || cache_salt.length > 128 || /[@/\\\0]/.test(cache_salt))) {
    throw badRequest(
      String.raw`Parameter 'cache_salt' must be at most 128 characters and must not contain '@', '/', '\\', or NUL. (parameter=cache_salt)`,
      "cache_salt",
    );
  }
  return {
    lens: readLensRequest(request.vllm_xargs, served, quirks),
    logprobs: checkLogprobs(logprobs, "sample", served),
    promptLogprobs: checkLogprobs(prompt_logprobs, "prompt", served),
  };
}

/** Steering and captures take one prompt and one choice: vllm-lens drops them in silence from the others. */
export function refuseSeveral(lens: LensRequest, prompts: number, n: number, quirks: ActiveQuirks): void {
  for (const [key, used] of [
    ["output_residual_stream", lens.capture.length],
    ["apply_steering_vectors", lens.steering.length],
  ] as const) {
    if (used === 0) continue;
    if (prompts > 1 && !quirks.has("first-prompt-only"))
      throw badRequest(`prompt: ${key} takes one prompt, and this has ${prompts}`, "prompt");
    if (n > 1 && !quirks.has("dropped-with-n"))
      throw badRequest(`n: ${key} takes n = 1, and this is ${n}`, "n");
  }
}

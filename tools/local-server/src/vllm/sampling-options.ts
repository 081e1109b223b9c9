import type { GenerationRequest } from "@residua/engine";
import { samplingFields, type ServedModel } from "@residua/engine/api";
import type { SamplingRequest } from "./request-schema.ts";
import { badRequest } from "./vllm-error.ts";

/** vLLM's defaults of --max-logprobs, VLLM_MAX_N_SEQUENCES and VLLM_MAX_STOP_STRINGS. */
const most = { logprobs: 20, n: 16_384, stops: 4 };

/** Temperatures between 0 and this are raised to it, as vLLM does. */
const lowestTemperature = 0.01;

/** The sampling fields for the engine. Throws ApiError 400, in vLLM's words where it has some. */
export function samplingOptions(
  request: SamplingRequest,
  maxTokens: number,
  served: ServedModel,
): Omit<GenerationRequest, "prompt"> {
  checkRanges(request, maxTokens);
  const sampling = samplingFields(request);
  const { stop } = sampling;
  if (stop.includes("")) throw badRequest("stop cannot contain an empty string.");
  if (stop.length > most.stops)
    throw badRequest(`stop: ${stop.length} strings, over the ${most.stops} that it may have`, "stop");
  const { n, temperature, seed } = request;
  if (n != null && n > 1 && temperature === 0)
    throw badRequest(`n must be 1 when using greedy sampling, got ${n}.`);
  return {
    maxTokens,
    n: n ?? 1,
    ...sampling,
    ...(temperature ? { temperature: Math.max(temperature, lowestTemperature) } : {}),
    stopTokenIds: inVocabulary(request.stop_token_ids ?? [], "stop_token_ids", served),
    includeStopText: request.include_stop_str_in_output ?? false,
    ignoreEos: request.ignore_eos ?? false,
    minTokens: request.min_tokens ?? 0,
    logitBias: readLogitBias(request.logit_bias ?? {}, served),
    ...(request.allowed_token_ids == null
      ? {}
      : { allowedTokenIds: inVocabulary(request.allowed_token_ids, "allowed_token_ids", served) }),
    ...(seed == null || seed === -1 ? {} : { seed }),
  };
}

function checkRanges(request: SamplingRequest, maxTokens: number): void {
  if (request.allowed_token_ids?.length === 0)
    throw badRequest("allowed_token_ids is not None and empty!", "allowed_token_ids");
  const { temperature, top_p, top_k, min_p, n, seed, min_tokens, repetition_penalty } = request;
  if (temperature != null && temperature < 0) {
    const value = asFloat(temperature);
    throw parameter("temperature", `temperature must be non-negative, got ${value}.`, value);
  }
  if (top_p != null && !(top_p > 0 && top_p <= 1))
    throw parameter("top_p", `top_p must be in (0, 1], got ${asFloat(top_p)}.`, asFloat(top_p));
  if (top_k != null && top_k < -1)
    throw badRequest(`top_k must be 0 (disable), or at least 1, got ${top_k}.`);
  if (min_p != null && !(min_p >= 0 && min_p <= 1))
    throw badRequest(`min_p must be in [0, 1], got ${asFloat(min_p)}.`);
  for (const name of ["presence_penalty", "frequency_penalty"] as const) {
    const penalty = request[name];
    if (penalty != null && Math.abs(penalty) > 2)
      throw badRequest(`${name} must be in [-2, 2], got ${asFloat(penalty)}.`);
  }
  if (repetition_penalty != null && repetition_penalty <= 0)
    throw badRequest(`repetition_penalty must be greater than zero, got ${asFloat(repetition_penalty)}.`);
  if (n != null && n < 1) throw badRequest(`n must be at least 1, got ${n}.`);
  if (n != null && n > most.n) {
    throw badRequest(
      `n must be at most ${most.n}, got ${n}. To increase this limit, set the VLLM_MAX_N_SEQUENCES environment variable.`,
    );
  }
  if (maxTokens < 1)
    throw parameter("max_tokens", `max_tokens must be at least 1, got ${maxTokens}.`, maxTokens);
  if (min_tokens != null && min_tokens < 0)
    throw badRequest(`min_tokens must be greater than or equal to 0, got ${min_tokens}.`);
  if (min_tokens != null && min_tokens > maxTokens) {
    throw badRequest(`min_tokens must be less than or equal to max_tokens=${maxTokens}, got ${min_tokens}.`);
  }
  if (seed != null && (seed < -1 || seed > Number.MAX_SAFE_INTEGER - ((n ?? 1) - 1))) {
    throw badRequest(
      `seed: give a whole number from 0 to 2^53 - n (choice j takes seed + j), or -1 for none`,
      "seed",
    );
  }
}

/** Checks how many log probabilities are asked for; null for none. */
export function checkLogprobs(
  count: number | null | undefined,
  kind: "sample" | "prompt",
  { model }: ServedModel,
): number | null {
  if (count == null) return null;
  const param = kind === "sample" ? "logprobs" : "prompt_logprobs";
  const asked = count === -1 ? model.config.vocabSize : count;
  if (asked < 0) throw parameter(param, `\`${param}\` must be non-negative or -1, got ${count}.`, count);
  if (asked > most.logprobs) {
    const problem = `Requested ${kind} logprobs of ${asked}, which is greater than max allowed: ${most.logprobs}`;
    throw parameter(param, problem, asked);
  }
  return asked;
}

function readLogitBias(bias: Readonly<Record<string, number>>, served: ServedModel): Map<number, number> {
  const ids = Object.keys(bias).map((key) => {
    if (/^\d+$/.test(key)) return Number(key);
    throw badRequest(`logit_bias: ${key.slice(0, 100)} is no token id`, "logit_bias");
  });
  inVocabulary(ids, "logit_bias", served);
  return new Map(ids.map((id) => [id, Math.min(100, Math.max(-100, bias[id]!))]));
}

function inVocabulary(ids: number[], field: string, { model }: ServedModel): number[] {
  const unknown = ids.filter((id) => id >= model.config.vocabSize).slice(0, 10);
  if (unknown.length === 0) return ids;
  const list = `[${unknown.join(", ")}]`;
  const problem = `token_id(s) ${list} in ${field} contain out-of-vocab token ids. Vocabulary size: ${model.config.vocabSize}`;
  throw badRequest(`${problem} (parameter=${field}, value=${list})`, field);
}

/** vLLM's form of an error that names a parameter. */
function parameter(name: string, problem: string, value: string | number) {
  return badRequest(`${problem} (parameter=${name}, value=${value})`, name);
}

/** As Python prints a float. */
function asFloat(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

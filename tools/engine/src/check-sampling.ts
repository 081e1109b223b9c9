import type { GenerationRequest } from "./generation-request.ts";
import type { ModelConfig } from "./model-config.ts";
import { isWhole, requireField } from "./require-field.ts";

/** How far a bias may go: as OpenAI and vLLM have it. */
const highestBias = 100;

/** Throws EngineRequestError for a field that says how tokens are drawn or where a choice ends. */
export function checkSampling(request: GenerationRequest, config: ModelConfig): void {
  const { temperature = 1, topP = 1, topK = 0, minP = 0, stop = [] } = request;
  const { presencePenalty = 0, frequencyPenalty = 0, repetitionPenalty = 1 } = request;
  const { seed = 0, priority = 0, logprobs = 0, promptLogprobs = 0 } = request;
  const number = (field: string, value: number, holds: boolean, allowed: string) =>
    requireField(Number.isFinite(value) && holds, field, `is ${value}; give a number ${allowed}`);
  const wholeFrom = (field: string, value: number, from: number) =>
    requireField(isWhole(value, from), field, `is ${value}; give a whole number from ${from}`);
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
  requireField(!stop.includes(""), "stop", "holds an empty text");
  checkBestOf(request);
  checkTokenRules(request, config);
}

function checkBestOf({ n = 1, bestOf = n, capture }: GenerationRequest): void {
  requireField(isWhole(bestOf, n), "bestOf", `is ${bestOf}; give a whole number from n, which is ${n}`);
  requireField(capture === undefined || bestOf === n, "bestOf", `is ${bestOf}; a capture takes one choice`);
}

function checkTokenRules(request: GenerationRequest, { vocabSize, eosTokenIds }: ModelConfig): void {
  const { maxTokens, minTokens = 0, stopTokenIds = [], allowedTokenIds } = request;
  const known = (field: string, ids: Iterable<number>) => {
    for (const id of ids)
      requireField(
        isWhole(id, 0, vocabSize - 1),
        field,
        `has token ${id}; ids run from 0 to ${vocabSize - 1}`,
      );
  };
  const bias = request.logitBias ?? new Map<number, number>();
  known("logitBias", bias.keys());
  for (const [id, value] of bias)
    requireField(
      Math.abs(value) <= highestBias,
      "logitBias",
      `is ${value} for token ${id}; give a number from -${highestBias} to ${highestBias}`,
    );
  known("stopTokenIds", stopTokenIds);
  known("allowedTokenIds", allowedTokenIds ?? []);
  requireField(allowedTokenIds?.length !== 0, "allowedTokenIds", "is empty; name a token or leave it out");
  requireField(
    isWhole(minTokens, 0, maxTokens),
    "minTokens",
    `is ${minTokens}; give a whole number from 0 to maxTokens, which is ${maxTokens}`,
  );
  if (minTokens === 0) return;
  const ends = new Set([...eosTokenIds, ...stopTokenIds]);
  const left =
    allowedTokenIds === undefined ? ends.size < vocabSize : allowedTokenIds.some((id) => !ends.has(id));
  requireField(
    left,
    "minTokens",
    `is ${minTokens}, and every token that may come is an end token or a stop token`,
  );
}

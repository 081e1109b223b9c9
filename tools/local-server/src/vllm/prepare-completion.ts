import { doubleBos, type PreparedCompletion, promptList, type ServedModel } from "@residua/engine/api";
import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { prepareRequest, readCommon, refuseSeveral, type PreparedRequest } from "./prepare-request.ts";
import { refuseFields } from "./refuse-fields.ts";
import type { CompletionRequest } from "./request-schema.ts";
import { checkTokens, tokeniseText } from "./tokenise-text.ts";
import { badRequest } from "./vllm-error.ts";

const defaultMaxTokens = 16;

/** Checks a completion's fields against each other and the model. Throws ApiError 400. */
export function prepareCompletion(
  request: CompletionRequest,
  served: ServedModel,
  quirks: ActiveQuirks,
): PreparedRequest {
  refuseFields(request);
  const given = readPrompts(request);
  const n = request.n ?? 1;
  const echo = request.echo === true;
  const { lens, logprobs, promptLogprobs } = readCommon(request, request.logprobs, { served, quirks });
  refuseSeveral(lens, given.length, n, quirks);
  if (request.stream === true && lens.capture.length > 0 && !quirks.has("stream-drops-capture")) {
    throw badRequest(
      "output_residual_stream: not with stream: true on /v1/completions, where it would be dropped; leave out one of the two, or stream a chat completion",
      "output_residual_stream",
    );
  }
  // With echo, max_tokens 0 shows the prompt alone; one token is still run, and counted.
  const asked = request.max_tokens ?? defaultMaxTokens;
  const maxTokens = echo && asked === 0 ? 1 : asked;
  if (maxTokens < 1)
    throw badRequest(
      `max_tokens must be at least 1, got ${asked}. (parameter=max_tokens, value=${asked})`,
      "max_tokens",
    );
  const addSpecialTokens = request.add_special_tokens ?? true;
  const prompts = given.map((prompt): PreparedCompletion["prompts"][number] => {
    if (typeof prompt !== "string") return { tokens: checkTokens(prompt, maxTokens, served), text: null };
    const tokens = tokeniseText(prompt, served, { addSpecialTokens, maxTokens });
    return {
      tokens: addSpecialTokens ? doubleBos(tokens, served.model.config, quirks) : tokens,
      text: prompt,
    };
  });
  return prepareRequest(request, {
    served,
    prompts,
    lens,
    maxTokens,
    logprobs,
    // With echo the prompt's log probabilities stand before those of the output.
    promptLogprobs: promptLogprobs ?? (echo ? logprobs : null),
  });
}

function readPrompts({ prompt }: CompletionRequest): readonly (string | readonly number[])[] {
  if (prompt == null || prompt === "") {
    throw badRequest(
      "Either prompt or prompt_embeds must be provided and non-empty. (parameter=prompt)",
      "prompt",
    );
  }
  const given = promptList(prompt);
  if (given.length === 0) throw badRequest("You must pass at least one prompt");
  if (given.length > 1024)
    throw badRequest(`prompt: ${given.length} prompts, over the 1024 that a request may have`, "prompt");
  return given;
}

import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { doubleBos, type ServedModel } from "@residua/engine/api";
import { chatPrompt } from "./chat-prompt.ts";
import { prepareRequest, readCommon, refuseSeveral, type PreparedRequest } from "./prepare-request.ts";
import { refuseFields } from "./refuse-fields.ts";
import type { ChatRequest } from "./request-schema.ts";
import { tokeniseText } from "./tokenise-text.ts";
import { badRequest } from "./vllm-error.ts";

/** Checks a chat completion's fields against each other and the model. Throws ApiError 400. */
export function prepareChat(
  request: ChatRequest,
  served: ServedModel,
  quirks: ActiveQuirks,
): PreparedRequest {
  refuseFields(request);
  if (request["echo"] === true)
    throw badRequest("echo: is not supported by this server for chat completions; leave it out", "echo");
  const { top_logprobs } = request;
  if (top_logprobs != null && request.logprobs !== true) {
    throw badRequest(
      "when using `top_logprobs`, `logprobs` must be set to true. (parameter=top_logprobs)",
      "top_logprobs",
    );
  }
  const count = request.logprobs === true ? (top_logprobs ?? 0) : null;
  const { lens, logprobs, promptLogprobs } = readCommon(request, count, { served, quirks });
  refuseSeveral(lens, 1, request.n ?? 1, quirks);
  const text = chatPrompt(request, served);
  const asked = request.max_completion_tokens ?? request.max_tokens;
  // The template has written the special tokens already.
  const addSpecialTokens = request.add_special_tokens ?? false;
  const written = tokeniseText(text, served, { addSpecialTokens, maxTokens: Math.max(1, asked ?? 1) });
  const tokens = doubleBos(written, served.model.config, quirks);
  // Without a limit a reply may fill the context.
  const maxTokens = asked ?? served.model.config.contextLength - tokens.length;
  return prepareRequest(request, {
    served,
    prompts: [{ tokens, text }],
    lens,
    maxTokens,
    logprobs,
    promptLogprobs,
  });
}

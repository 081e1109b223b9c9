import { completionChoices } from "../api/completion-choices.ts";
import { completionHead, completionUsage } from "../api/completion-parts.ts";
import type { CompletionRequest } from "../api/completion-request.ts";
import type { PreparedCompletion } from "../api/prepared-completion.ts";
import type { ServedModel } from "../api/served-model.ts";
import { captureBits } from "../api/wire-tensor.ts";
import type { Generation } from "../generation-request.ts";

/**
 * The answer to a completion: that of the local server, with all token ids, and with the bfloat16 bits of a capture as bytes instead of
 * packed base64.
 */
export function completionBody(
  request: CompletionRequest,
  prepared: PreparedCompletion,
  generations: readonly Generation[],
  served: ServedModel,
): object {
  const choices = Array.from(
    completionChoices(request, prepared, generations, served),
    ({ shown, promptLogprobs, prompt, tokens }) => ({
      ...shown,
      ...(promptLogprobs !== null && { prompt_logprobs: [...promptLogprobs] }),
      prompt_token_ids: [...prompt],
      token_ids: [...tokens],
    }),
  );
  const body = {
    ...completionHead(served),
    choices,
    usage: completionUsage(prepared, generations),
  };
  const capture = generations[0]?.capture ?? null;
  if (capture === null) return body;
  const { bits, form } = captureBits(capture);
  return { ...body, activations: { residual_stream: { data: new Uint8Array(bits.buffer), ...form } } };
}

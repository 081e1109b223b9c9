import { APIError, type Completion } from "@residua/client";
import { VerificationError } from "./verification-error.ts";

const advice =
  "An earlier request, of anybody, steered with NaN or infinity, or so strongly that the stream overflowed, and the NaN is still in the server's KV cache. " +
  "Every later request that gets that memory is spoilt. Restart the server (a longer request may overwrite the memory, and cannot be relied on), and repeat what was sampled since";

/**
 * The error that a fault of a request really is: a server that cannot write a NaN as JSON has one in its log
 * probabilities. Any other fault is given back as it is.
 */
export function explainFault<E>(error: E): E | VerificationError {
  if (!(error instanceof APIError) || !error.message.includes("not JSON compliant: nan")) return error;
  return new VerificationError(
    "nan_poisoning",
    `the server computed NaN (${error.message.slice(0, 200)}). ${advice}`,
    { status: error.status, requestID: error.requestID },
  );
}

/** Fields that let a right server answer with token 0 and nothing else. */
const steersSampling = ["ignore_eos", "logit_bias", "allowed_token_ids", "structured_outputs"];

/**
 * Sampling from NaN takes token 0 each time: throws `nan_poisoning` for choices of two tokens or more that are all token
 * 0, where the answer names them and the request did not ask for such a thing. An answer with log probabilities is
 * right: a server could not have written them.
 */
export function verifyNotPoisoned(body: object, { choices }: Completion): void {
  const asked = body as Record<string, unknown>;
  if (steersSampling.some((name) => asked[name] !== undefined && asked[name] !== false)) return;
  const spoilt = choices.find(
    ({ token_ids: ids, logprobs }) => !logprobs && ids && ids.length > 1 && ids.every((id) => id === 0),
  );
  if (spoilt === undefined) return;
  throw new VerificationError(
    "nan_poisoning",
    `all ${spoilt.token_ids?.length} generated tokens are token 0 (text ${JSON.stringify(spoilt.text.slice(0, 20))}), which is what sampling from NaN gives. ${advice}`,
    { choice: spoilt.index, tokens: spoilt.token_ids?.length },
  );
}

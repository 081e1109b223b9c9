import type { Completion, CompletionBody } from "@residua/client";

/** A completion with another body. Its reader of choices stays out of JSON, as the client has it. */
export function copyCompletion({ choicesOf }: Completion, body: CompletionBody): Completion {
  return Object.defineProperty({ ...body }, "choicesOf", {
    value: choicesOf,
    enumerable: false,
  }) as Completion;
}

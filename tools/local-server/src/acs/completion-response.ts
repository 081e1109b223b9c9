import type { Generation } from "@residua/engine";
import {
  completionChoices,
  completionHead,
  type CompletionRequest,
  completionUsage,
  encodeCapture,
  type PreparedCompletion,
  type ServedModel,
} from "@residua/engine/api";

/** The JSON of a completion in pieces: with prompt_logprobs it can be longer than a string may be. */
export function* completionJson(
  request: CompletionRequest,
  prepared: PreparedCompletion,
  generations: readonly Generation[],
  served: ServedModel,
): Generator<string> {
  yield `${JSON.stringify(completionHead(served)).slice(0, -1)},"choices":[`;
  let first = true;
  for (const { shown, promptLogprobs } of completionChoices(request, prepared, generations, served)) {
    const json = JSON.stringify(shown).slice(0, -1);
    yield first ? json : `,${json}`;
    first = false;
    if (promptLogprobs !== null) yield* promptLogprobsJson(promptLogprobs);
    yield "}";
  }
  yield `],"usage":${JSON.stringify(completionUsage(prepared, generations))}`;
  const capture = generations[0]?.capture ?? null;
  if (capture !== null) yield `,"activations":${JSON.stringify({ residual_stream: encodeCapture(capture) })}`;
  yield "}";
}

function* promptLogprobsJson(entries: Iterable<object | null>): Generator<string> {
  yield `,"prompt_logprobs":[`;
  let first = true;
  for (const entry of entries) {
    yield `${first ? "" : ","}${JSON.stringify(entry)}`;
    first = false;
  }
  yield "]";
}

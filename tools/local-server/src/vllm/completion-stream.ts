import type { Generation } from "@residua/engine";
import { completionLogprobs, type ServedModel, tokenNames } from "@residua/engine/api";
import { systemFingerprint, usageOf, wholeUsage, type AnswerHead } from "./answer-parts.ts";
import { echoedPrompt, promptOnly } from "./completion-answer.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { CompletionRequest } from "./request-schema.ts";
import { TokenGatherer, type StreamMaker } from "./stream-maker.ts";

/** The events of a streamed completion: fields that are not set are left out. */
export function completionStream(
  request: CompletionRequest,
  prepared: PreparedRequest,
  { served, head }: { served: ServedModel; head: AnswerHead },
): StreamMaker {
  const name = tokenNames(served.model.tokenizer, request.return_tokens_as_token_ids === true);
  const { include_usage, continuous_usage_stats } = request.stream_options ?? {};
  const fingerprint = { system_fingerprint: systemFingerprint(served) };
  const gatherer = new TokenGatherer(request.stream_interval ?? 1);
  const promptEntries: Generation["promptLogprobs"][] = [];
  const ids = request.return_token_ids === true;
  const echo = request.echo === true;
  return {
    prompt(p, logprobs) {
      promptEntries[p] = logprobs;
    },
    token(p, generated) {
      const index = p * prepared.n + generated.choice;
      const unsent = gatherer.add(index, generated);
      if (unsent === null) return [];
      const prompt = prepared.prompts[p]!;
      const first = unsent.count === unsent.tokens.length;
      const own = promptOnly(request)
        ? { text: "", tokens: [], entries: [] }
        : { text: unsent.text, tokens: unsent.tokens, entries: unsent.entries };
      const echoes = first && echo;
      const shown = {
        tokens: echoes ? [...prompt.tokens, ...own.tokens] : own.tokens,
        entries: echoes ? [...(promptEntries[p] ?? []), ...own.entries] : own.entries,
        before: unsent.before,
      };
      let logprobs: object | null = null;
      if (prepared.logprobs !== null) {
        const part = completionLogprobs(shown, prepared.logprobs, name, unsent.offset);
        logprobs = part.logprobs;
        unsent.offset = part.end;
      }
      const chunk = {
        ...head,
        choices: [
          {
            index,
            text: (first ? echoedPrompt(request, prompt, served) : "") + own.text,
            logprobs,
            finish_reason: generated.finishReason,
            stop_reason: generated.stopReason,
            prompt_token_ids: first && (ids || echo) ? prompt.tokens : null,
            token_ids: ids ? unsent.tokens : null,
          },
        ],
        ...(include_usage === true && continuous_usage_stats === true
          ? { usage: usageOf(prompt.tokens.length, unsent.count) }
          : {}),
        ...(generated.finishReason !== null && include_usage !== true ? fingerprint : {}),
      };
      gatherer.taken(unsent);
      return [chunk];
    },
    end: (generations) =>
      include_usage === true
        ? [{ ...head, choices: [], usage: wholeUsage(prepared, generations), ...fingerprint }]
        : [],
  };
}

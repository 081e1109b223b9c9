import type { Choice, Usage } from "../responses/completion.ts";
import { mergeLogprobs } from "./merge-logprobs.ts";

/**
 * One choice of a stream, put together from its chunks. Text and token ids are joined each for itself: those of one chunk
 * need not line up, since a stop text makes the server hold text back.
 */
export class ChoiceCollector {
  /** Joining texts with + costs a pointer each; they become one text when they are first read. */
  text = "";
  /** Running totals of this choice (`continuous_usage_stats`). */
  usage: Usage | undefined;
  /** Log probabilities came and were not kept. */
  dropped = false;
  readonly #fields: Record<string, unknown> = {};
  #logprobs: Record<string, unknown> | undefined;

  add(choice: Choice, keepLogprobs: boolean): void {
    const fields = this.#fields;
    this.text += choice.text;
    for (const field in choice) {
      const value = choice[field];
      if (field === "text" || field === "index") continue;
      // As in the answer that is not streamed, a field that never had a value is null.
      if (value === null || value === undefined) fields[field] ??= null;
      else if (field === "token_ids") fields.token_ids = joined(fields.token_ids, value);
      else if (field !== "logprobs" || typeof value !== "object") fields[field] = value;
      else if (keepLogprobs) mergeLogprobs((this.#logprobs ??= {}), value as Record<string, unknown>);
      else this.dropped = true;
    }
  }

  collected(index: number): Choice {
    const { text } = this;
    const logprobs = this.#logprobs && { logprobs: this.#logprobs };
    return { finish_reason: null, ...this.#fields, ...logprobs, index, text };
  }
}

function joined(before: unknown, more: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(more))
    return Array.isArray(more) ? [...(more as unknown[])] : more;
  for (const id of more as unknown[]) before.push(id);
  return before;
}

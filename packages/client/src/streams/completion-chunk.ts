import type { Choice, Usage } from "../responses/completion.ts";

/**
 * One event of a completion stream: the next text of some choices, or usage alone. Fields that the server adds pass
 * through; only `choices`, and in them `index` and `text`, are always there.
 */
export interface CompletionChunk {
  id?: string;
  object?: string;
  /** Seconds since 1970. */
  created?: number;
  /** The checkpoint that answers. */
  model?: string;
  /** Empty on a chunk that brings usage or nothing that is meant for a choice. */
  choices: Choice[];
  /** Of the whole request on a chunk without choices; with `continuous_usage_stats`, of the chunk's choice until now. */
  usage?: Usage | null;
  system_fingerprint?: string | null;
  [field: string]: unknown;
}

/** Makes the error for a body that is not what was asked for. */
export type Refuse = (code: string, message: string) => Error;

/**
 * The chunk that a parsed event holds, as the server sent it, with what a choice may leave out filled in: no `choices` are
 * none, no `text` is "", and no `index` is 0 when there is one choice. Checked by hand, since a schema would cost more than
 * all the rest of reading a chunk. `total`: choices that were asked for, when that is known. Throws what `refuse` makes:
 * `unexpected_response`, or `choices_mismatch` for an index that was not asked for.
 */
export function readChunk(body: object, total: number | undefined, refuse: Refuse): CompletionChunk {
  const chunk = body as { choices?: unknown };
  chunk.choices ??= [];
  if (!Array.isArray(chunk.choices)) throw refuse("unexpected_response", "a chunk's choices are not a list");
  for (const choice of chunk.choices as unknown[]) checkChoice(choice, total, refuse);
  return chunk as CompletionChunk;
}

function checkChoice(given: unknown, total: number | undefined, refuse: Refuse): void {
  if (typeof given !== "object" || given === null) {
    throw refuse("unexpected_response", "a choice of a chunk is not an object");
  }
  const choice = given as { index?: unknown; text?: unknown };
  choice.text ??= "";
  if (total === 1) choice.index ??= 0;
  const { index, text } = choice;
  if (typeof text !== "string") throw refuse("unexpected_response", "the text of a chunk is not a text");
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0) {
    throw refuse("unexpected_response", "a choice of a chunk has no index");
  }
  if (total !== undefined && index >= total) {
    throw refuse("choices_mismatch", `${total} choices asked; a chunk for choice ${index} came`);
  }
}

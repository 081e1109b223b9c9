type Fields = Record<string, unknown>;

/**
 * Adds a chunk's log probabilities to those of its choice before: lists are joined (`tokens`, `token_logprobs`,
 * `top_logprobs` and `text_offset` of completions, `content` of chats), of other fields the last stands. Offsets run on as
 * the server sent them. A server whose offsets begin at 0 in every chunk is recognised by a 0 after tokens that have a
 * length, and its offsets are moved by that length (in code points, as vLLM counts).
 */
export function mergeLogprobs(merged: Fields, more: Fields): void {
  const shift = restartsAt(merged, more);
  for (const field in more) {
    const value = more[field];
    if (!Array.isArray(value)) {
      if (value !== null || !(field in merged)) merged[field] = value;
      continue;
    }
    const before = merged[field];
    const list: unknown[] = Array.isArray(before) ? before : (merged[field] = []);
    if (field === "text_offset" && shift > 0)
      for (const offset of value) list.push((offset as number) + shift);
    else for (const entry of value as unknown[]) list.push(entry);
  }
}

/** Where the chunk's first token begins when its offsets start anew; 0 when they run on. */
function restartsAt(merged: Fields, more: Fields): number {
  const { text_offset: offsets, tokens } = merged;
  if (!Array.isArray(offsets) || !Array.isArray(tokens)) return 0;
  const [first] = Array.isArray(more.text_offset) ? (more.text_offset as unknown[]) : [];
  const last: unknown = offsets.at(-1);
  const token: unknown = tokens.at(-1);
  if (first !== 0 || typeof last !== "number" || typeof token !== "string") return 0;
  return last + codePoints(token);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

import type { OnePrompt } from "../completion-request.ts";
import { between, type Count, count } from "../rules/count.ts";

/**
 * The tokens of one prompt: exact for token ids and where a tokenizer counted; else between 1 and the text's UTF-8 bytes,
 * one more where special tokens are added (byte-level and byte-fallback tokenizers need at most a token for each byte).
 */
export function textTokens(
  prompt: OnePrompt,
  {
    addSpecialTokens,
    exact,
    reason,
  }: { addSpecialTokens: boolean; exact?: number | undefined; reason?: string | undefined },
): Count {
  const unit = "prompt tokens";
  if (prompt === null) return between(1, Infinity, unit, "embeddings are not counted here");
  if (typeof prompt !== "string") return count(prompt.length, unit);
  if (exact !== undefined) return count(exact, unit);
  const most = utf8Length(prompt) + (addSpecialTokens ? 1 : 0);
  return between(
    Math.min(1, most),
    most,
    unit,
    reason ?? "the tokens of a text cannot be counted exactly without a tokenizer",
  );
}

/** Bytes of a text in UTF-8. A lone surrogate is written as U+FFFD. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit < 0xd800 || unit > 0xdbff) bytes += 2;
    else {
      const next = text.charCodeAt(i + 1);
      bytes += 2;
      // A pair is two units and four bytes.
      if (next >= 0xdc00 && next <= 0xdfff) i++;
    }
  }
  return bytes;
}

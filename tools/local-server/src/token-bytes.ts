import type { Tokenizer } from "@residua/engine";

/** How byte-level vocabularies spell bytes: printable ones as they are, the others from U+0100 on (GPT-2's table). */
const byteOfLetter = new Map<string, number>();
for (let byte = 0, next = 0x100; byte < 256; byte++) {
  const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  byteOfLetter.set(String.fromCodePoint(printable ? byte : next++), byte);
}

/**
 * The UTF-8 bytes that a token stands for, given the text that it decodes to. A token that holds a part of a character
 * decodes to U+FFFD: its bytes are then read from its spelling in the vocabulary.
 */
export function tokenBytes(token: number, text: string, tokenizer: Pick<Tokenizer, "spell">): number[] {
  if (text.includes("\uFFFD")) {
    const spelling = tokenizer.spell([token])[0]!;
    const single = /^<0x([0-9A-F]{2})>$/.exec(spelling)?.[1];
    if (single !== undefined) return [Number.parseInt(single, 16)];
    const bytes = Array.from(spelling, (letter) => byteOfLetter.get(letter));
    if (bytes.length > 0 && bytes.every((byte) => byte !== undefined)) return bytes;
  }
  return [...new TextEncoder().encode(text)];
}

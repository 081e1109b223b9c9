import { Buffer } from "node:buffer";
import { spellings } from "../tokens/vocabulary-bytes.ts";

/** The text that tokens stand for by each way in which vocabularies spell: those that are UTF-8, each once. */
export function spelledTexts(names: readonly string[]): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const texts = spellings.flatMap((spell) => {
    try {
      return [decoder.decode(Buffer.concat(names.map(spell)))];
    } catch {
      return [];
    }
  });
  return [...new Set(texts)];
}

/** Where each token ends in the UTF-8 of the text; undefined where together they are not the text. */
export function tokenEnds(names: readonly string[], text: string): number[] | undefined {
  const whole = Buffer.from(text);
  for (const spell of spellings) {
    const bytes = names.map(spell);
    const joined = Buffer.concat(bytes);
    // SentencePiece puts a space before the first word.
    const extra = joined.length - whole.length;
    const isSame = extra === 0 || (extra === 1 && joined[0] === 0x20);
    if (!isSame || !joined.subarray(extra).equals(whole)) continue;
    let end = -extra;
    return bytes.map(({ length }) => (end += length));
  }
  return undefined;
}

import type { Tokenizer } from "./tokenizer.ts";

/** The growing text of generated tokens, special tokens left out. */
export interface TextStream {
  /** The text so far; the first bytes of an unfinished character are held back until it is whole. */
  readonly text: string;
  /** Adds a token and returns the text it completed, "" while a character is unfinished. */
  push(token: number): string;
}

/** Longest run of tokens, one byte each, that a single UTF-8 character can take. */
const longestCharacter = 4;

export function createTextStream(tokenizer: Tokenizer): TextStream {
  const tokens: number[] = [];
  let text = "";
  // Tokens before `context` never matter again; those before `shown` are in the text already. Decoding
  // from `context` keeps what a decoder does at the start of a text away from the new tokens.
  let context = 0;
  let shown = 0;
  const decode = (from: number, to: number) =>
    tokenizer.decode(tokens.slice(from, to), { skipSpecialTokens: true });
  return {
    get text() {
      return text;
    },
    push(token) {
      tokens.push(token);
      const before = decode(context, shown);
      const after = decode(context, tokens.length);
      // A text that ends in U+FFFD for longer than a character can take is not going to become whole.
      if (after.endsWith("\uFFFD") && tokens.length - shown < longestCharacter) return "";
      const added = after.slice(before.length);
      text += added;
      context = shown;
      shown = tokens.length;
      return added;
    },
  };
}

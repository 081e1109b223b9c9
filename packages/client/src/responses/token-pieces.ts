import type { TokenSpelling } from "./spell-token.ts";

/** What one token adds to the text. */
export interface Piece {
  /** U+FFFD for a character that earlier tokens left unfinished, and that this token shows will not be finished. */
  before: string;
  /** "" for a token within a character: the one that completes it has all of it. */
  text: string;
}

/**
 * The tokens as pieces of text, in which bytes that several tokens share become one character. `rest` is what an
 * unfinished end becomes. Undefined when a token's text is not known.
 */
export function tokenPieces(
  spellings: readonly TokenSpelling[],
): { pieces: Piece[]; rest: string } | undefined {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const pieces: Piece[] = [];
  for (const { bytes, text } of spellings) {
    const first = bytes?.[0];
    // An empty list says nothing: some servers send it for a part of a character, whose bytes come with the last part.
    if (bytes !== undefined && first !== undefined) {
      const continues = first >= 0x80 && first < 0xc0;
      const before = continues ? "" : decoder.decode();
      pieces.push({ before, text: decoder.decode(Uint8Array.from(bytes), { stream: true }) });
    } else if (text !== undefined) {
      pieces.push({ before: text === "" ? "" : decoder.decode(), text });
    } else return undefined;
  }
  return { pieces, rest: decoder.decode() };
}

import { Buffer } from "node:buffer";

/** Tokens as a vocabulary spells them → their UTF-8 bytes, in each way in which vocabularies spell. */
export const spellings: readonly ((name: string) => Uint8Array)[] = [byteLevel, sentencePiece];

/** GPT-2's way: each byte is a character, those that cannot be seen are moved to 256 and up. Source: OpenAI's encoder.py. */
const byteOfCharacter = new Map<string, number>();
let moved = 0;
for (let byte = 0; byte < 256; byte++) {
  const seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  byteOfCharacter.set(String.fromCodePoint(seen ? byte : 256 + moved++), byte);
}

function byteLevel(name: string): Uint8Array {
  const bytes = [...name].map((character) => byteOfCharacter.get(character));
  // A special token has a text of its own.
  return bytes.includes(undefined) ? Buffer.from(name) : Uint8Array.from(bytes as number[]);
}

/** SentencePiece's way: ▁ is a space, and `<0x0A>` one byte. */
function sentencePiece(name: string): Uint8Array {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(name)?.[1];
  return byte === undefined
    ? Buffer.from(name.replaceAll("\u2581", " "))
    : Uint8Array.of(Number.parseInt(byte, 16));
}

/**
 * What each token adds to the text, as vLLM names it: "" for one that ends within a character, and all that has not been named
 * at the token that completes it. So a space that shares its token with half a character is named with the character.
 */
export function textsOf(tokens: readonly Uint8Array[]): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let waiting: Uint8Array = new Uint8Array();
  return tokens.map((bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    if (endsWithin(waiting)) return "";
    const text = decoder.decode(waiting);
    waiting = new Uint8Array();
    return text;
  });
}

/** Whether the last character of UTF-8 lacks bytes. */
function endsWithin(bytes: Uint8Array): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0;
    if (byte < 0x80) return false;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
  }
  return false;
}

import type { Piece } from "./token-pieces.ts";

/** A place in a text: in UTF-16 units, as JavaScript counts, and in code points, as Python and servers do. */
export interface TextOffset {
  utf16: number;
  codePoints: number;
}

/**
 * Where each piece begins in the text, undefined where that cannot be told. What the text may lack: special tokens (BOS
 * before an echoed prompt, EOS at its end), and what a stop text cut off at the end, which begins at the end of the text.
 * What the pieces may lack: the beginning of the text (an echoed prompt without log probabilities). With `early` the
 * pieces may begin before the text instead (log probabilities of a prompt that is not echoed).
 */
export function locateTokens(
  { pieces, rest }: { pieces: readonly Piece[]; rest: string },
  text: string,
  { early = false } = {},
): (TextOffset | undefined)[] {
  const forward = fromStart(pieces, rest, text);
  const backward = fromEnd(pieces, rest, text, early);
  // Both may fit where pieces that begin before the text end like it by chance: then it is in doubt.
  if (forward?.whole && backward && forward.starts.some((start, i) => start !== backward[i])) {
    return pieces.map(() => undefined);
  }
  const starts = (forward?.whole ? forward.starts : backward) ?? forward?.starts;
  return toOffsets(starts ?? pieces.map(() => undefined), text);
}

/** How special tokens are spelt: `<|begin_of_text|>`, `</s>`, `[PAD]`. */
const special = /^(?:<.+>|\[[A-Z]+\])$/s;

/** Lays the pieces on the text one after the other. */
function fromStart(
  pieces: readonly Piece[],
  rest: string,
  text: string,
): { starts: (number | undefined)[]; whole: boolean } | undefined {
  const starts: (number | undefined)[] = [];
  const shown = new Set<string>();
  const left = new Set<string>();
  let cursor = 0;
  for (const { before, text: piece } of pieces) {
    if (text.startsWith(before, cursor)) cursor += before.length;
    starts.push(cursor);
    if (text.startsWith(piece, cursor)) {
      cursor += piece.length;
      shown.add(piece);
    } else if (piece.startsWith(text.slice(cursor))) {
      cursor = text.length;
    } else if (special.test(piece)) {
      left.add(piece);
    } else {
      // Half a character that only the server's own decoder could join with its neighbours: what follows is not known.
      const unreadable = piece.includes("\uFFFD");
      return unreadable ? { starts: pieces.map((_, i) => starts[i]), whole: false } : undefined;
    }
  }
  const whole = cursor === text.length || text.slice(cursor) === rest;
  // A special token that is shown once and left out once: which one was which cannot be told.
  return whole && ![...left].some((piece) => shown.has(piece)) ? { starts, whole } : undefined;
}

/** Lays the pieces at the end of the text, where one of the two is the end of the other. */
function fromEnd(
  pieces: readonly Piece[],
  rest: string,
  text: string,
  early: boolean,
): (number | undefined)[] | undefined {
  const all = pieces.map(({ before, text: piece }) => before + piece).join("") + rest;
  let start = text.length - all.length;
  if (all === "" || (start >= 0 ? !text.endsWith(all) : !early || !all.endsWith(text))) return undefined;
  return pieces.map(({ before, text: piece }) => {
    const at = start + before.length;
    start = at + piece.length;
    return at < 0 ? undefined : at;
  });
}

/** Places in UTF-16 units, none before the one before it, with the code points before each. */
export function toOffsets(starts: readonly (number | undefined)[], text: string): (TextOffset | undefined)[] {
  let utf16 = 0;
  let codePoints = 0;
  return starts.map((start) => {
    if (start === undefined) return undefined;
    for (; utf16 < start; utf16++) if (!isSecondHalf(text, utf16)) codePoints++;
    return { utf16: start, codePoints };
  });
}

function isSecondHalf(text: string, at: number): boolean {
  const half = (i: number) => text.charCodeAt(i) & 0xfc00;
  return at > 0 && half(at) === 0xdc00 && half(at - 1) === 0xd800;
}

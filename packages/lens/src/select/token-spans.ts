import { locateTokens, spellToken, type TokenSpelling, tokenPieces } from "@residua/client";

/** Characters of a text in UTF-16 units; `end` is not included. A token that adds no text has an empty one. */
export interface TextSpan {
  start: number;
  end: number;
}

/**
 * The characters that each token stands for. Tokens that are parts of a character share one span: that of all of them
 * together, since only at its ends does a token end too. Undefined where it cannot be told.
 */
export function tokenSpans(names: readonly string[], text: string): (TextSpan | undefined)[] {
  const spellings = names.map((name) => spellToken(name));
  const spelt = tokenPieces(spellings);
  if (spelt === undefined) return names.map(() => undefined);
  const { pieces, rest } = spelt;
  const locate = (from: number) =>
    locateTokens({ pieces: pieces.slice(from), rest }, text).map((offset) => offset?.utf16);
  const starts = locate(0);
  const shared = pieces.map((_, i) => isShared(i, spellings, pieces));
  const lost = starts.indexOf(undefined);
  if (lost > 0) {
    // From half a character on that only the server could join; what follows the last of them can be laid at the end.
    const unread = pieces.findLastIndex((piece) => (piece.before + piece.text).includes("\uFFFD"));
    const tail = locate(unread + 1);
    for (let i = lost; i < starts.length; i++)
      starts[i] = i <= unread ? starts[lost - 1] : tail[i - unread - 1];
    for (let i = lost - 1; i < unread; i++) shared[i] = true;
  }
  return spansOf(starts, shared, text.length);
}

/** Whether the token and the next one have a character in common. */
function isShared(
  i: number,
  spellings: readonly TokenSpelling[],
  pieces: readonly { before: string; text: string }[],
): boolean {
  const next = pieces[i + 1];
  if (next === undefined) return false;
  const byte = spellings[i + 1]?.bytes?.[0];
  if (byte !== undefined) return byte >= 0x80 && byte < 0xc0;
  if (pieces[i]?.text !== "" || next.before !== "") return false;
  // Servers name the parts of a character "", and the last part by all of it; a token without any text is the other case.
  const last = pieces.slice(i + 1).find((piece) => piece.text !== "");
  return last === undefined || /[^\0-\x7f]/.test(last.text);
}

function spansOf(
  starts: readonly (number | undefined)[],
  shared: readonly boolean[],
  length: number,
): (TextSpan | undefined)[] {
  const spans: (TextSpan | undefined)[] = [];
  for (let i = 0; i < starts.length; i++) {
    const run = i;
    while (shared[i]) i++;
    const start = starts[run];
    const end = i + 1 < starts.length ? starts[i + 1] : length;
    const whole = start !== undefined && end !== undefined && end >= start;
    for (let k = run; k <= i; k++) spans.push(whole ? { start, end } : undefined);
  }
  return spans;
}

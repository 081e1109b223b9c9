import { tokenText } from "./html-text.ts";

/** A token without a text of its own: bytes of a character that a later token ends, most often. */
export const partToken = "[part]";

/** A token's text on one line of a drawing: white space as marks (· ⇥ ↵ ␣), as token strips have them. */
export function visibleToken(text: string | null): string {
  if (text === null) return "[no text]";
  if (text === "") return partToken;
  return tokenText(text, 60).replace(/\r\n?|[\n\t \u00a0\u2002-\u200a\u202f\u205f\u3000]/g, (space) =>
    space === " " ? "·" : space === "\t" ? "⇥" : /[\r\n]/.test(space) ? "↵" : "␣",
  );
}

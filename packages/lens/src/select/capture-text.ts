import { spellToken, tokenPieces } from "@residua/client";
import type { Capture, CapturedToken } from "../lens-types.ts";
import { SelectionError } from "./selection-error.ts";
import type { TokenArea } from "./selection.ts";
import { type TextSpan, tokenSpans } from "./token-spans.ts";

/** What selecting reads of a capture beside its rows. */
export type CaptureTokens = Pick<
  Capture,
  "model" | "prompt" | "bosTokenId" | "tokens" | "positions" | "completion"
>;

/** A text and the characters of each of its tokens. */
export interface LocatedText {
  text: string;
  /** Position of the first token. */
  position: number;
  /** Undefined where it cannot be told. */
  spans: readonly (TextSpan | undefined)[];
  /** A first token whose text the server did not tell, and that may have some: characters cannot be counted from the start. */
  headless: boolean;
}

/** Throws SelectionError `offsets_unknown` where the server did not tell the tokens' texts. */
export function captureText(capture: CaptureTokens, area: TokenArea): LocatedText {
  if (area === "prompt") return promptText(capture);
  if (area === "generated") return generatedText(capture);
  const prompt = promptText(capture);
  const generated = generatedText(capture);
  const { length } = prompt.text;
  const moved = generated.spans.map((at) => at && { start: at.start + length, end: at.end + length });
  return { ...prompt, text: prompt.text + generated.text, spans: [...prompt.spans, ...moved] };
}

/** A prompt of token ids has the text that its tokens spell, the BOS none. */
function promptText({ prompt, tokens, bosTokenId }: CaptureTokens): LocatedText {
  const own = tokens.filter(({ role }) => role === "prompt");
  // No server names what nothing predicts: the first token has what the others leave of a text.
  const unnamed = own[0]?.text === null;
  const names = textsOf(own.slice(unnamed ? 1 : 0), unnamed ? 1 : 0);
  const text = typeof prompt === "string" ? prompt : spelt(names);
  const spans = tokenSpans(names, text);
  if (!unnamed) return { text, position: 0, spans, headless: false };
  const end = names.length > 0 ? spans[0]?.start : text.length;
  const first = end === undefined ? undefined : { start: 0, end };
  const headless = typeof prompt !== "string" && (bosTokenId === null || own[0]?.id !== bosTokenId);
  return { text, position: 0, spans: [first, ...spans], headless };
}

function generatedText({ tokens, completion }: CaptureTokens): LocatedText {
  const position = tokens.filter(({ role }) => role === "prompt").length;
  const names = textsOf(tokens.slice(position), position);
  const text = completion.choices[0]?.text ?? spelt(names);
  return { text, position, spans: tokenSpans(names, text), headless: false };
}

function textsOf(tokens: readonly CapturedToken[], position: number): string[] {
  return tokens.map(({ text }, i) => {
    if (text !== null) return text;
    throw new SelectionError(
      "offsets_unknown",
      `the server did not tell the text of token ${position + i}, so characters cannot be matched with tokens; select by position: last, first, lastK, everyToken, span({ tokens })`,
      { position: position + i },
    );
  });
}

function spelt(names: readonly string[]): string {
  const found = tokenPieces(names.map((name) => spellToken(name)));
  if (found === undefined) return names.join("");
  return found.pieces.map(({ before, text }) => before + text).join("") + found.rest;
}

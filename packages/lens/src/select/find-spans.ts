import { type TextOffset, toOffsets } from "@residua/client";
import { captureText, type CaptureTokens, type LocatedText } from "./capture-text.ts";
import { SelectionError } from "./selection-error.ts";
import type { SpanSelection, TokenArea } from "./selection.ts";
import type { TextSpan } from "./token-spans.ts";
import { stretchPositions, type TokenStretch } from "./token-stretch.ts";

/** A stretch of the area's text that a selection asked for. `end` is not included. */
export interface SpanMatch {
  text: string;
  start: TextOffset;
  end: TextOffset;
}

/** What a span came to. */
export interface FoundSpan {
  /** Ascending. */
  positions: number[];
  /** None where it was asked for by position. */
  matches: SpanMatch[];
}

/** Throws SelectionError: what is not found, is in doubt, or would take half a token. */
export function findSpan(capture: CaptureTokens, selection: SpanSelection): FoundSpan {
  const { target, area } = selection;
  if ("tokens" in target) return { positions: byPosition(capture, target.tokens), matches: [] };
  const located = captureText(capture, area);
  const chosen = choose(matchesOf(located, selection), selection, located.text);
  const positions = new Set(chosen.flatMap((match) => tokensOf(match, located, selection)));
  const beyond = [...positions].find((position) => position >= capture.positions);
  if (beyond !== undefined && selection.cut !== "inner") throw notCaptured(beyond, capture);
  return {
    positions: [...positions].filter((position) => position < capture.positions).sort((a, b) => a - b),
    matches: chosen.map(({ start, end }) => {
      const [from, to] = toOffsets([start, end], located.text) as [TextOffset, TextOffset];
      return { text: located.text.slice(start, end), start: from, end: to };
    }),
  };
}

function byPosition(capture: CaptureTokens, stretches: TokenStretch | readonly TokenStretch[]): number[] {
  const positions = stretchPositions(stretches);
  const beyond = positions.at(-1) ?? 0;
  if (beyond >= capture.positions) throw notCaptured(beyond, capture);
  return positions;
}

function matchesOf(located: LocatedText, { target, area }: SpanSelection): TextSpan[] {
  const { text } = located;
  if ("text" in target) return allOf(text, target.text);
  if ("pattern" in target) {
    const { source, flags } = target.pattern;
    const pattern = new RegExp(source, `${flags.replace("g", "")}g`);
    return [...text.matchAll(pattern)]
      .map((match) => ({ start: match.index, end: match.index + match[0].length }))
      .filter(({ start, end }) => end > start);
  }
  return "characters" in target ? [characters(target.characters, located, area)] : [];
}

/** Where a text stands, overlapping ones too. */
function allOf(text: string, part: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    found.push({ start: at, end: at + part.length });
  return found;
}

function characters(
  { from, to, unit }: { from: number; to: number; unit: "utf16" | "codePoints" },
  { text, headless }: LocatedText,
  area: TokenArea,
): TextSpan {
  if (headless) {
    throw new SelectionError(
      "offsets_unknown",
      "the server did not tell the text of token 0 of a prompt that was sent as token ids, so characters cannot be counted from its beginning; send the text, or select by text, pattern or tokens",
    );
  }
  // Where each code point begins.
  const places = unit === "utf16" ? undefined : placesOf(text);
  const length = places ? places.length - 1 : text.length;
  if (to > length) {
    const words = area === "all" ? "prompt and generated text have" : `${area} text has`;
    throw new SelectionError(
      "span_not_found",
      `characters ${from} to ${to} asked; the ${words} ${length} (${unit === "utf16" ? "UTF-16 units" : "code points"})`,
      { from, to, length },
    );
  }
  return places ? { start: places[from] ?? 0, end: places[to] ?? 0 } : { start: from, end: to };
}

function placesOf(text: string): number[] {
  const places = [0];
  for (const character of text) places.push((places.at(-1) ?? 0) + character.length);
  return places;
}

function choose(
  found: readonly TextSpan[],
  { target, area, occurrence }: SpanSelection,
  text: string,
): TextSpan[] {
  const where = area === "all" ? "prompt and generated text" : `${area}${area === "prompt" ? "" : " text"}`;
  const what =
    "text" in target
      ? JSON.stringify(target.text)
      : "pattern" in target
        ? `/${target.pattern.source}/${target.pattern.flags}`
        : "characters";
  const index =
    occurrence === "only" || occurrence === "first"
      ? 0
      : occurrence === "last"
        ? found.length - 1
        : occurrence;
  const one = typeof index === "number" ? found[index] : undefined;
  if (found.length === 0 || (typeof index === "number" && one === undefined)) {
    throw new SelectionError(
      "span_not_found",
      `${what} occurs ${times(found.length)} in the ${where} of ${text.length} characters${typeof occurrence === "number" ? `; occurrence ${occurrence} asked` : ""}`,
      { found: found.length },
    );
  }
  if (occurrence === "only" && found.length > 1) {
    throw new SelectionError(
      "span_ambiguous",
      `${what} occurs ${times(found.length)} in the ${where}; say which: occurrence "first", "last", "all", or a number from 0`,
      { found: found.length },
    );
  }
  return one ? [one] : [...found];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** Positions of the tokens of a match. */
function tokensOf(match: TextSpan, located: LocatedText, { cut }: SpanSelection): number[] {
  const { spans, position: first, text } = located;
  const touched: number[] = [];
  let cutBy: { position: number; span: TextSpan } | undefined;
  for (const [i, span] of spans.entries()) {
    if (span === undefined) {
      throw new SelectionError(
        "offsets_unknown",
        `where token ${first + i} stands in the text cannot be told: the texts of the tokens are not those of the text; select by position: span({ tokens })`,
        { position: first + i },
      );
    }
    if (span.start >= match.end || span.end <= match.start || span.start === span.end) continue;
    const inside = span.start >= match.start && span.end <= match.end;
    if (!inside) cutBy ??= { position: first + i, span };
    if (inside || cut === "outer") touched.push(first + i);
  }
  if (cutBy && cut === "refuse") {
    const { position, span } = cutBy;
    throw new SelectionError(
      "span_cuts_token",
      `${JSON.stringify(text.slice(match.start, match.end))} is characters ${match.start} to ${match.end}, and token ${position} (${JSON.stringify(text.slice(span.start, span.end))}) is ${span.start} to ${span.end}; ` +
        'cut: "outer" takes the whole token, cut: "inner" leaves it out',
      { match, position, token: span },
    );
  }
  return touched;
}

function notCaptured(position: number, { positions }: CaptureTokens): SelectionError {
  return new SelectionError(
    "span_not_captured",
    `token ${position} has no row: captured are positions 0 to ${positions - 1} (the last generated token is never fed back; ask for one more max_tokens)`,
    { position, positions },
  );
}

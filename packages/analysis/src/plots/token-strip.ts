import { Markup, html } from "./html-markup.ts";
import { escapeHtml, plainText, tokenText } from "./html-text.ts";
import { paletteCss } from "./palette.ts";
import { decimals } from "./plot-format.ts";
import { jupyterDisplay } from "./svg-figure.ts";
import { partToken } from "./visible-token.ts";

export interface StripToken {
  id: number | null;
  text: string | null;
  role?: "prompt" | "generated" | undefined;
}

export interface TokenStripOptions {
  tokens: readonly StripToken[];
  /** One score a token; null where there is none (the last generated token has no captured row). */
  scores: readonly (number | null)[];
  /** What the score measures, e.g. "projection on the truth direction, layer 3". */
  label: string;
  /** Where the two colours meet: 0 unless the probe has its own threshold. */
  threshold?: number;
  /** What a score above and below the threshold speaks for. */
  above?: string;
  below?: string;
  /** Distance from the threshold that gets the full colour; by default the largest one here. Fix it to compare strips. */
  extent?: number;
  /** Tokens beyond are counted, not shown. */
  maxTokens?: number;
}

/** HTML that shows itself in a notebook and sits in a page that carries `tokenStripCss`. */
export interface TokenStrip {
  /** With its own styles. */
  readonly html: string;
  /** Without styles, for a page that has them. */
  inline(): string;
  toString(): string;
  [jupyterDisplay](): Record<string, string>;
}

const steps = 4;
const score = decimals(2);
const scope = ".residua-tokens";

const level = (name: string, role: string, line: string): string =>
  Array.from({ length: steps }, (_, index) => {
    const strength = 12 * (index + 1);
    return `${scope} .${name}${index + 1}{background:color-mix(in srgb,var(--rs-${role}) ${strength}%,transparent);border-bottom:2px ${line} var(--rs-${role})}`;
  }).join("\n");

/** Blue above, orange below the threshold; the line under a token (solid above, dotted below) says the same without colour. */
export const tokenStripCss = `${paletteCss(scope)}
${scope}{color:var(--rs-ink);font:15px/2.05 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;max-width:100%}
${scope} .text{overflow-wrap:anywhere}
${scope} .t{position:relative;border-bottom:2px solid transparent;border-radius:3px 3px 0 0;padding:2px 1px;margin-right:1px;unicode-bidi:isolate;cursor:default}
${scope} .g{font-weight:700}
${scope} .w{color:var(--rs-muted)}
${level("a", "blue", "solid")}
${level("b", "orange", "dotted")}
${scope} :is(.a2,.a3,.a4,.b2,.b3,.b4) .w{color:inherit}
${scope} .t:hover,${scope} .t:focus{outline:2px solid var(--rs-ink);outline-offset:1px}
${scope} .t:hover::after,${scope} .t:focus::after{content:attr(data-tip);position:absolute;left:0;top:calc(100% + 5px);z-index:2;background:var(--rs-ink);color:var(--rs-surface);font:12px/1.45 system-ui,sans-serif;padding:4px 8px;border-radius:4px;white-space:pre;pointer-events:none}
${scope} .sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;user-select:none}
${scope} .key{font:12px/1.5 system-ui,sans-serif;color:var(--rs-muted);margin:6px 0 0}
${scope} .key i{display:inline-block;width:18px;height:12px;vertical-align:-2px;margin:0 1px;box-sizing:border-box}`;

/** White space becomes a mark (· ⇥ ↵ ␣) in a quiet colour. */
function visibleToken(token: StripToken): Markup {
  if (token.text === null) return html`<span class="w">[no text]</span>`;
  if (token.text === "") return html`<span class="w">${partToken}</span>`;
  const marked = tokenText(token.text)
    .split(/([ \u00a0\u2002-\u200a\u202f\u205f\u3000]+|\t|\r\n?|\n)/)
    .map((part, index) => {
      if (index % 2 === 0) return escapeHtml(part);
      if (part === "\t") return `<span class="w">⇥</span>`;
      if (/[\r\n]/.test(part)) return `<span class="w">↵</span>`;
      return `<span class="w">${[...part].map((char) => (char === " " ? "·" : "␣")).join("")}</span>`;
    });
  return new Markup(marked.join(""));
}

function levelClass(value: number | null, threshold: number, extent: number): string {
  if (value === null || value === threshold) return "";
  const share = extent === 0 ? 0 : Math.min(1, Math.abs(value - threshold) / extent);
  return ` ${value > threshold ? "a" : "b"}${Math.max(1, Math.ceil(share * steps))}`;
}

function key(options: TokenStripOptions, threshold: number, extent: number): Markup {
  const { above = "above", below = "below" } = options;
  const swatches = (name: string, levels: number[]): Markup =>
    new Markup(levels.map((step) => `<i class="${name}${step}"></i>`).join(""));
  const up = [1, 2, 3, 4];
  return html`<p class="key">
    ${options.label}: ${score(threshold - extent)} ${swatches("b", up.toReversed())} ${score(threshold)}
    ${swatches("a", up)} ${score(threshold + extent)} &nbsp; (dotted, under ${score(threshold)}: ${below};
    solid, over it: ${above})
  </p>`;
}

/**
 * A line of tokens, each coloured by its score around a threshold. Hover or focus shows position, id, text and score.
 * White space, control and reordering characters are made visible; text is escaped.
 */
export function tokenStrip(options: TokenStripOptions): TokenStrip {
  const { tokens, scores, threshold = 0, maxTokens = 2000, label } = options;
  if (scores.length !== tokens.length) {
    throw new RangeError(
      `tokenStrip: ${tokens.length} tokens need as many scores, ${scores.length} were given; use null where a token has none.`,
    );
  }
  const distances = scores.flatMap((value) => (value === null ? [] : [Math.abs(value - threshold)]));
  const extent = options.extent ?? distances.reduce((most, distance) => Math.max(most, distance), 0);
  const shown = tokens.slice(0, maxTokens);
  const spans = shown.map((token, position) => {
    const value = scores[position] ?? null;
    const worth = value === null ? "no score" : `score ${score(value)}`;
    const id = token.id === null ? "id unknown" : `id ${token.id}`;
    const text =
      token.text === null
        ? "no text"
        : token.text === ""
          ? "no text of its own: part of a character, or special"
          : `“${plainText(token.text, 60)}”`;
    const made = token.role === "generated" ? "generated, " : "";
    const name = `t${levelClass(value, threshold, extent)}${token.role === "generated" ? " g" : ""}`;
    const tip = `position ${position}, ${made}${id}\n${text}\n${worth}`;
    // Not the template: it would break lines between tokens, where white space belongs to the text.
    return new Markup(
      `<span class="${name}" role="listitem" tabindex="0" data-tip="${escapeHtml(tip)}">${visibleToken(token).text}` +
        `<span class="sr">, position ${position}, ${made}${id}, ${worth}; </span></span>${/[\r\n]/.test(token.text ?? "") ? "<br>" : ""}`,
    );
  });
  const rest = tokens.length - shown.length;
  const body = html`<div class="residua-tokens">
    <div class="text" role="list" aria-label="Tokens scored by ${label}">
      ${spans}${rest > 0 && html`<span class="w" role="listitem"> … ${rest} more tokens, not shown</span>`}
    </div>
    ${key(options, threshold, extent)}
  </div>`;
  const inline = body.text;
  const whole = `<style>${tokenStripCss}</style>${inline}`;
  return {
    html: whole,
    inline: () => inline,
    toString: () => whole,
    [jupyterDisplay]: () => ({
      "text/html": whole,
      "text/plain": shown
        .map(({ text }, index) => `${JSON.stringify(text)} ${scores[index] ?? "-"}`)
        .join("\n"),
    }),
  };
}

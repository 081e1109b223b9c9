import { escapeHtml, plainText } from "./html-text.ts";
import { color, paletteAttributesCss, paletteCss } from "./palette.ts";
import { svgText, wrapText } from "./svg-text.ts";

/** What Deno's Jupyter kernel looks for on the value of a cell. */
export const jupyterDisplay: unique symbol = Symbol.for("Jupyter.display");

/** A drawing that shows itself in a notebook, stands alone as a file, and sits in a page. */
export interface Figure {
  readonly title: string;
  /** Says what is drawn, n and the kind of interval. */
  readonly caption: string;
  /** What the picture shows, in words, for those who do not see it. */
  readonly alt: string;
  /** A complete SVG document with title and caption, for light and dark. */
  readonly svg: string;
  /** The drawing alone for a page that carries `figureCss` and its own heading and caption: no style, no namespace. */
  inline(): string;
  toString(): string;
  [jupyterDisplay](): Record<string, string>;
}

interface Drawing {
  title: string;
  caption: string;
  alt: string;
  width: number;
  height: number;
  /** SVG elements in a box of `width` × `height` whose origin is its top left corner. */
  body: string;
}

const scope = ".residua-figure";
const [padding, titleHeight, lineHeight, captionSize] = [14, 34, 15, 11];

/** Styles that an SVG from `inline()` needs, once per page. */
export const figureCss = [
  paletteCss(scope),
  `${scope}{fill:var(--rs-ink);max-width:100%;height:auto}`,
  paletteAttributesCss(scope),
  `${scope} text{white-space:pre}`,
].join("\n");

const shared = (title: string, alt: string): string =>
  `class="residua-figure" role="img" aria-label="${escapeHtml(plainText(alt, 2000))}" ` +
  `font-family="system-ui, sans-serif" font-size="11" fill="${color.ink}"><title>${escapeHtml(plainText(title))}</title>`;

function standalone({ title, caption, alt, width, height, body }: Drawing): string {
  const lines = wrapText(caption, width, captionSize);
  const full = {
    width: width + 2 * padding,
    height: height + titleHeight + lines.length * lineHeight + 2 * padding,
  };
  const below = titleHeight + height + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${full.width}" height="${full.height}" viewBox="0 0 ${full.width} ${full.height}" ${shared(title, alt)}`,
    `<style>${figureCss}</style>`,
    // Its own surface: readable on any notebook theme and in any viewer.
    `<rect width="100%" height="100%" rx="6" fill="${color.surface}"/>`,
    `<g transform="translate(${padding},${padding})">`,
    svgText(title, 0, 15, { size: 15, weight: 600 }),
    `<g transform="translate(0,${titleHeight})">${body}</g>`,
    ...lines.map((line, index) =>
      svgText(line, 0, below + index * lineHeight, { size: captionSize, fill: color.muted }),
    ),
    `</g></svg>`,
  ].join("");
}

export function svgFigure(drawing: Drawing): Figure {
  const { title, caption, alt, width, height, body } = drawing;
  const svg = standalone(drawing);
  return {
    title,
    caption,
    alt,
    svg,
    inline: () =>
      `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${shared(title, alt)}${body}</svg>`,
    toString: () => svg,
    [jupyterDisplay]: () => ({
      "image/svg+xml": svg,
      "text/html": svg,
      "text/plain": `${plainText(title)}. ${plainText(alt, 2000)}`,
    }),
  };
}

import type { PngOptions } from "./figure-png.ts";
import { escapeHtml, plainText } from "./html-text.ts";
import { color, paletteAttributesCss, paletteCss } from "./palette.ts";
import { fitText, svgText, wrapText } from "./svg-text.ts";

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
  /** The complete document as a picture, drawn by resvg in DejaVu Sans: the same bytes on every machine. */
  png(options?: PngOptions): Promise<Uint8Array>;
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
const [padding, lineHeight, captionSize] = [14, 15, 11];
const title = { size: 15, weight: 600, line: 20, below: 14 } as const;

/** Styles that an SVG from `inline()` needs, once per page. */
export const figureCss = [
  paletteCss(scope),
  `${scope}{fill:var(--rs-ink);max-width:100%;height:auto}`,
  paletteAttributesCss(scope),
  `${scope} text{white-space:pre}`,
].join("\n");

const shared = (name: string, alt: string): string =>
  `class="residua-figure" role="img" aria-label="${escapeHtml(plainText(alt, 2000))}" ` +
  `font-family="system-ui, sans-serif" font-size="11" fill="${color.ink}"><title>${escapeHtml(plainText(name))}</title>`;

/** Lines of a title that is not cut short of its sense: three at most. */
function titleLines(text: string, width: number): string[] {
  const lines = wrapText(text, width, title.size, title.weight);
  if (lines.length <= 3) return lines;
  return [...lines.slice(0, 2), fitText(lines.slice(2).join(" "), width, title.size, title.weight)];
}

function standalone({ caption, alt, width, height, body, ...drawing }: Drawing): string {
  const lines = wrapText(caption, width, captionSize);
  const names = titleLines(drawing.title, width);
  const top = names.length * title.line + title.below;
  const full = {
    width: width + 2 * padding,
    height: height + top + lines.length * lineHeight + 2 * padding,
  };
  const below = top + height + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${full.width}" height="${full.height}" viewBox="0 0 ${full.width} ${full.height}" ${shared(drawing.title, alt)}`,
    `<style>${figureCss}</style>`,
    // Its own surface: readable on any notebook theme and in any viewer.
    `<rect width="100%" height="100%" rx="6" fill="${color.surface}"/>`,
    `<g transform="translate(${padding},${padding})">`,
    ...names.map((line, index) => svgText(line, 0, 15 + index * title.line, title)),
    `<g transform="translate(0,${top})">${body}</g>`,
    ...lines.map((line, index) =>
      svgText(line, 0, below + index * lineHeight, { size: captionSize, fill: color.muted }),
    ),
    `</g></svg>`,
  ].join("");
}

export function svgFigure(drawing: Drawing): Figure {
  const { title: name, caption, alt, width, height, body } = drawing;
  const svg = standalone(drawing);
  return {
    title: name,
    caption,
    alt,
    svg,
    inline: () =>
      `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${shared(name, alt)}${body}</svg>`,
    // Loaded when it is asked for: the module that draws weighs 2.5 MB.
    png: async (options) => (await import("./figure-png.ts")).figurePng(svg, options),
    toString: () => svg,
    [jupyterDisplay]: () => ({
      "image/svg+xml": svg,
      "text/html": imageOf(svg, alt),
      "text/plain": `${plainText(name)}${/[.?!]$/.test(name) ? "" : "."} ${plainText(alt, 2000)}`,
    }),
  };
}

/** An image is light or dark as its element is: that follows the notebook's theme, and elsewhere the reader's system. */
const imageCss =
  "[data-jp-theme-light=true] .residua-image,body.vscode-light .residua-image{color-scheme:light}" +
  "[data-jp-theme-light=false] .residua-image,body.vscode-dark .residua-image{color-scheme:dark}";

/**
 * The drawing as an image of a page. Jupyter takes SVG elements, and leaves their texts in a heap, out of the HTML of a notebook that was
 * not run by its reader; images stay.
 */
function imageOf(svg: string, alt: string): string {
  const source = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return `<style>${imageCss}</style><img class="residua-image" style="max-width:100%" alt="${escapeHtml(plainText(alt, 2000))}" src="${source}">`;
}

import { escapeHtml, plainText } from "./html-text.ts";

/** Width in pixels, from classes of characters: there is no layout engine here, and a few per cent do not matter. */
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const char of text) {
    if (/[ilj.,:;'|!()[\]\u2009]/.test(char)) ems += 0.3;
    else if (/[mwMW@%—]/.test(char)) ems += 0.88;
    else if (/[A-Z\d]/.test(char)) ems += 0.62;
    else if ((char.codePointAt(0) ?? 0) > 0x2e80) ems += 1;
    else ems += 0.53;
  }
  return ems * size;
}

/** Shortens to `width` pixels with an ellipsis. */
export function fitText(text: string, width: number, size: number): string {
  let shown = plainText(text, 200);
  if (textWidth(shown, size) <= width) return shown;
  while (shown.length > 1 && textWidth(`${shown}…`, size) > width) shown = [...shown].slice(0, -1).join("");
  return `${shown.trimEnd()}…`;
}

/** Breaks at spaces into lines of at most `width` pixels; a longer word is cut. */
export function wrapText(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of plainText(text, 2000).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer, size) <= width) {
      line = longer;
    } else {
      if (line !== "") lines.push(line);
      line = fitText(word, width, size);
    }
  }
  return line === "" ? lines : [...lines, line];
}

interface TextStyle {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  weight?: 400 | 600;
}

/** One `<text>` element; `y` is the baseline. */
export function svgText(text: string, x: number, y: number, style: TextStyle = {}): string {
  const { size = 11, fill, anchor = "start", weight } = style;
  const attributes = [
    `x="${round(x)}" y="${round(y)}" font-size="${size}" text-anchor="${anchor}"`,
    fill === undefined ? "" : ` fill="${fill}"`,
    weight === undefined ? "" : ` font-weight="${weight}"`,
  ].join("");
  return `<text ${attributes}>${escapeHtml(plainText(text, 2000))}</text>`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

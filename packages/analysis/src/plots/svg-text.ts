import { escapeHtml, plainText } from "./html-text.ts";

/** Widths in ems of DejaVu Sans, the widest of the usual fonts: what fits in it fits in the reader's, which nobody here knows. */
const classes: readonly (readonly [number, string])[] = [
  [0.29, "'ijlIJ"],
  [0.34, " ,./:;\\|"],
  [0.39, "f-()[]t"],
  [0.42, "!r"],
  [0.5, '*_`"sz'],
  [0.58, "?cLFk"],
  [0.64, "vxyPTYaoeESbdghnpqu$0123456789{}"],
  [0.7, "KAVBRXZC"],
  [0.79, "UHNDG&OQ"],
  [0.84, "w#+<=>^~M"],
  [1, "%mW@"],
];
const ems = new Map(classes.flatMap(([width, chars]) => [...chars].map((char) => [char, width] as const)));

/** Width in pixels in the widest usual font, bold for a weight of 600. There is no layout engine here: letters beyond ASCII are taken as wide ones. */
export function textWidth(text: string, size: number, weight: 400 | 600 = 400): number {
  let sum = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    sum += ems.get(char) ?? (code > 0x2e80 ? 1 : /[–·\u2009“”²]/.test(char) ? 0.52 : 0.84);
  }
  return sum * size * (weight === 600 ? 1.13 : 1);
}

/** Shortens to `width` pixels with an ellipsis. */
export function fitText(text: string, width: number, size: number, weight?: 400 | 600): string {
  const shown = [...plainText(text, 200)];
  if (textWidth(shown.join(""), size, weight) <= width) return shown.join("");
  while (shown.length > 1 && textWidth(`${shown.join("")}…`, size, weight) > width) shown.pop();
  return `${shown.join("").trimEnd()}…`;
}

/** Breaks at spaces into lines of at most `width` pixels; a longer word is cut. */
export function wrapText(text: string, width: number, size: number, weight?: 400 | 600): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of plainText(text, 2000).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer, size, weight) <= width) {
      line = longer;
    } else {
      if (line !== "") lines.push(line);
      line = fitText(word, width, size, weight);
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

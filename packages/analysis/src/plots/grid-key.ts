import { levelFill, levelSteps, strongest } from "./level-color.ts";
import { color } from "./palette.ts";
import { svgLine, svgRect } from "./svg-shapes.ts";
import { svgText, textWidth, wrapText } from "./svg-text.ts";

export interface GridKey {
  /** The numbers at the ends of the scale and at its middle; without `low` the scale begins at the middle. */
  low?: string;
  middle: string;
  high: string;
  /** What the colours mean, and the marks. */
  text: string;
}

const [swatch, height, size] = [13, 12, 11];

function swatches({ low }: GridKey): number[] {
  const up = [2, 4, 6, levelSteps];
  return low === undefined ? [0, ...up] : [...up.map((level) => -level).toReversed(), 0, ...up];
}

/** Where the words begin, and the lines that they take. */
function layout(key: GridKey, width: number): { x: number; lines: string[]; beside: boolean } {
  const start = key.low === undefined ? textWidth(key.middle, size) : textWidth(key.low, size);
  const ramp = start + 6 + swatches(key).length * swatch + 6 + textWidth(key.high, size);
  const beside = width - ramp - 18 >= 220;
  return {
    x: beside ? ramp + 18 : 0,
    lines: wrapText(key.text, beside ? width - ramp - 18 : width, size),
    beside,
  };
}

export function gridKeyHeight(key: GridKey, width: number): number {
  const { lines, beside } = layout(key, width);
  const ramp = key.low === undefined ? 16 : 28;
  return beside ? Math.max(ramp, lines.length * 14 + 2) : ramp + lines.length * 14 + 4;
}

/** The scale of colours with its numbers, and what they mean in words. */
export function gridKey(key: GridKey, at: { width: number; plain: boolean }): string {
  const { x, lines, beside } = layout(key, at.width);
  const first = key.low ?? key.middle;
  const levels = swatches(key);
  const start = textWidth(first, size) + 6;
  const quiet = { size, fill: color.muted };
  const ramp = levels.map((level, index) => {
    const box = { x: start + index * swatch, y: 0, width: swatch - 1, height };
    const filled = svgRect(box, {
      ...levelFill(level, at.plain ? strongest.plain : strongest.numbers),
      ...(level === 0 ? { stroke: color.grid } : {}),
    });
    if (!at.plain || level >= 0) return filled;
    const dots = { stroke: color.ink, strokeWidth: 1.5, strokeOpacity: 0.75, dash: "1.5 2" };
    return filled + svgLine([box.x + 1, height - 1.5], [box.x + box.width - 1, height - 1.5], dots);
  });
  const end = start + levels.length * swatch + 5;
  const top = beside ? 0 : key.low === undefined ? 20 : 32;
  return [
    svgText(first, 0, 10, quiet),
    ...ramp,
    svgText(key.high, end, 10, quiet),
    key.low === undefined
      ? ""
      : svgText(key.middle, start + (levels.length * swatch) / 2, height + 13, {
          ...quiet,
          anchor: "middle",
        }),
    ...lines.map((words, index) => svgText(words, x, top + 10 + index * 14, quiet)),
  ].join("");
}

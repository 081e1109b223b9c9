import { color } from "./palette.ts";
import { svgLine, svgMarker, type MarkerShape } from "./svg-shapes.ts";
import { fitText, svgText, textWidth } from "./svg-text.ts";

export interface KeyEntry {
  name: string;
  fill: string;
  shape?: MarkerShape | undefined;
  /** Given for a series that is a line. */
  dash?: string | undefined;
  line?: boolean;
}

const size = 11;
const row = 17;

/** Names of series with their marks, side by side and in as many rows as they need, in a box whose top is at 0. */
export function seriesKey(entries: readonly KeyEntry[], width: number): { body: string; height: number } {
  let [x, y] = [0, 0];
  const parts = entries.map(({ name, fill, shape, dash, line = false }) => {
    const sign = line ? 26 : 14;
    const text = fitText(name, width - sign - 2, size);
    const needed = sign + textWidth(text, size) + 16;
    if (x > 0 && x + needed - 16 > width) [x, y] = [0, y + row];
    const [at, middle] = [x, y + 8];
    x += needed;
    return [
      line
        ? svgLine([at, middle], [at + 20, middle], {
            stroke: fill,
            strokeWidth: 2,
            ...(dash === undefined ? {} : { dash }),
          })
        : "",
      shape === undefined ? "" : svgMarker(shape, at + (line ? 10 : 5), middle, 4.5, { fill }),
      svgText(text, at + sign, y + 12, { size, fill: color.ink }),
    ].join("");
  });
  return { body: parts.join(""), height: entries.length === 0 ? 0 : y + row };
}

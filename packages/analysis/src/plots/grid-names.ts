import { color } from "./palette.ts";
import { fitText, round, svgText, textWidth, wrapText } from "./svg-text.ts";

export type ColumnNames = "thin" | "turn";

const size = 11;
const line = 13;
const longest = 120;

interface Names {
  body: string;
  height: number;
}

/** Names over the columns of a grid, in a box whose top is at 0: level where they fit, on two lines if need be, else upright or fewer. */
export function columnNames(
  columns: readonly string[],
  at: { x: number; width: number; how: ColumnNames },
): Names {
  const centre = (index: number): number => at.x + (index + 0.5) * at.width;
  const level = (lines: string[], index: number, height: number): string =>
    lines
      .map((text, row) =>
        svgText(text, centre(index), height - (lines.length - 1 - row) * line - 3, {
          size,
          fill: color.ink,
          anchor: "middle",
        }),
      )
      .join("");
  const widest = Math.max(...columns.map((name) => textWidth(name, size)));
  if (at.how === "thin") {
    const step = Math.max(1, Math.ceil((widest + 6) / at.width));
    // Counted from the last one, which is asked for more often than the first.
    const shown = columns.map((name, index) => ((columns.length - 1 - index) % step === 0 ? name : ""));
    return {
      body: shown.map((name, index) => (name === "" ? "" : level([name], index, line))).join(""),
      height: line,
    };
  }
  const wrapped = columns.map((name) => wrapText(name, at.width - 4, size));
  const whole = wrapped.every((lines, index) => lines.length <= 2 && lines.join(" ") === columns[index]);
  if (whole) {
    const height = line * Math.max(...wrapped.map(({ length }) => length));
    return { body: wrapped.map((lines, index) => level(lines, index, height)).join(""), height };
  }
  const height = Math.min(longest, Math.ceil(widest) + 4);
  const step = Math.max(1, Math.ceil(line / at.width));
  const upright = columns.map((name, index) => {
    if (index % step !== 0) return "";
    const text = svgText(fitText(name, height - 2, size), 0, 0, { size, fill: color.ink });
    return `<g transform="translate(${round(centre(index) + 4)},${height}) rotate(-90)">${text}</g>`;
  });
  return { body: upright.join(""), height: height + 2 };
}

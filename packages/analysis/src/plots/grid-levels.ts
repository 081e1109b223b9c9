import { levelFill, strongest } from "./level-color.ts";
import { color } from "./palette.ts";
import { round } from "./svg-text.ts";

export interface LevelCell {
  row: number;
  column: number;
  /** From −8 to 8; null where nothing is defined. */
  level: number | null;
}

interface Run {
  row: number;
  column: number;
  columns: number;
}

/** Cells of one level that stand beside each other in a row, as one. */
function runsOf(cells: readonly LevelCell[]): Map<number | null, Run[]> {
  const sorted = [...cells].sort((a, b) => a.row - b.row || a.column - b.column);
  const runs = new Map<number | null, Run[]>();
  let last: (Run & { level: number | null }) | undefined;
  for (const { row, column, level } of sorted) {
    if (last?.level === level && last.row === row && last.column + last.columns === column) {
      last.columns += 1;
      continue;
    }
    last = { row, column, columns: 1, level };
    runs.set(level, [...(runs.get(level) ?? []), last]);
  }
  return runs;
}

/** Thousands of cells as one path a level: a picture of tens of kilobytes where one element a cell would take megabytes. */
export function levelPaths(
  cells: readonly LevelCell[],
  at: { x: number; y: number; width: number; height: number },
): string {
  const box = ({ row, column, columns }: Run): [number, number, number, number] => [
    round(at.x + column * at.width),
    round(at.y + row * at.height),
    round(columns * at.width),
    at.height,
  ];
  return [...runsOf(cells)]
    .map(([level, runs]) => {
      if (level === null) {
        const strokes = runs.flatMap(({ row, column, columns }) =>
          Array.from({ length: columns }, (_, index) => {
            const [x, y, width, height] = box({ row, column: column + index, columns: 1 });
            return `M${x},${y + height - 1}L${round(x + width)},${y + 1}`;
          }),
        );
        return `<path d="${strokes.join("")}" fill="none" stroke="${color.control}" stroke-opacity="0.7"/>`;
      }
      const { fill, fillOpacity } = levelFill(level, strongest.plain);
      const boxes = runs.map((run) => {
        const [x, y, width, height] = box(run);
        return `M${x},${y}h${width}v${height}h${-width}z`;
      });
      const filled = `<path d="${boxes.join("")}" fill="${fill}" fill-opacity="${fillOpacity}"/>`;
      if (level >= 0) return filled;
      const dots = runs.map((run) => {
        const [x, y, width, height] = box(run);
        return `M${x},${y + height - 1.5}h${width}`;
      });
      return `${filled}<path d="${dots.join("")}" fill="none" stroke="${color.ink}" stroke-width="1.5" stroke-opacity="0.75" stroke-dasharray="1.5 2"/>`;
    })
    .join("");
}

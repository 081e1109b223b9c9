import { levelPaths } from "./grid-levels.ts";
import { gridKey, gridKeyHeight, type GridKey } from "./grid-key.ts";
import { columnNames, type ColumnNames } from "./grid-names.ts";
import { levelFill, levelOf, strongest } from "./level-color.ts";
import { color } from "./palette.ts";
import { axisTitle } from "./plot-labels.ts";
import { fitText, svgText, textWidth } from "./svg-text.ts";
import { svgLine, svgRect, type Box } from "./svg-shapes.ts";

export interface GridCell {
  row: number;
  column: number;
  /** From −1 to 1 about the middle of the scale; null where nothing is defined: hatched. */
  strength: number | null;
  text?: string;
  /** A second line, smaller: an interval. */
  note?: string;
  bold?: boolean;
  framed?: boolean;
  /** Struck through like an undefined one, its number kept. */
  struck?: boolean;
  underlined?: boolean;
  /** Shown on hover. */
  title: string;
}

interface GridRow {
  /** A short number before the label, in a quiet colour. */
  number?: string;
  label: string;
  bold?: boolean;
  /** In a quiet colour. */
  quiet?: boolean;
  /** Under the label, where the row is high enough. */
  note?: string;
}

export interface GridOptions {
  width: number;
  rows: readonly GridRow[];
  columns: readonly string[];
  /** `thin`: numbers, of which some may be left out; `turn`: names, upright where they find no room. */
  names: ColumnNames;
  rowTitle: string;
  columnTitle: string;
  cells: readonly GridCell[];
  rowHeight: number;
  /** Columns are no wider than this. */
  columnWidth: number;
  key: GridKey;
  /** Texts may be cut to their cells, which must be this wide then; else all are left out when one finds no room. */
  cutTexts?: number;
}

export interface Grid {
  body: string;
  height: number;
  /** Whether cells were wide enough for their texts, and for their second lines. */
  texts: boolean;
  notes: boolean;
  /** Whether cells tell their numbers on hover. */
  hover: boolean;
}

const [labelSize, noteSize] = [11, 9];
/** Tried in this order. */
const textSizes = [10.5, 9.5];
/** More cells say nothing on hover: the table has their numbers, and the file stays small. */
const mostTitles = 900;
const noteGap = 13;

/** Room for row labels: what they need, but no more than two fifths of the figure. */
function labelRoom({ rows, rowTitle, width }: GridOptions): { number: number; all: number } {
  const number = rows.reduce((most, row) => Math.max(most, textWidth(row.number ?? "", labelSize)), 0);
  const needed = rows.reduce(
    (most, { label, note, bold }) =>
      Math.max(
        most,
        textWidth(label, labelSize, bold === true ? 600 : 400),
        note === undefined ? 0 : textWidth(note, noteSize),
      ),
    0,
  );
  const before = number === 0 ? 0 : number + 8;
  const titled = textWidth(rowTitle, labelSize);
  return { number: before, all: Math.min(Math.max(before + needed, titled) + 10, 0.42 * width) };
}

function hatch({ x, y, width, height }: Box): string {
  const style = { stroke: color.control, strokeOpacity: 0.7 };
  return svgLine([x + 1, y + height - 1], [x + width - 1, y + 1], style);
}

function drawCell(
  cell: GridCell,
  box: Box,
  shown: { text: number | undefined; note: boolean; plain: boolean; title: boolean },
): string {
  const level = cell.strength === null ? 0 : levelOf(cell.strength);
  const most = shown.plain ? strongest.plain : strongest.numbers;
  const edge = level === 0 ? { stroke: color.grid } : {};
  const parts = [
    svgRect(box, { ...levelFill(level, most), ...edge, ...(shown.title ? { title: cell.title } : {}) }),
  ];
  if (cell.strength === null || cell.struck === true) parts.push(hatch(box));
  const [middle, below] = [box.x + box.width / 2, box.y + box.height - 1.5];
  // Without a number, a dotted line says what the colour says.
  if (shown.plain && level < 0)
    parts.push(
      svgLine([box.x + 1, below], [box.x + box.width - 1, below], {
        stroke: color.ink,
        strokeWidth: 1.5,
        strokeOpacity: 0.75,
        dash: "1.5 2",
      }),
    );
  const textSize = shown.text;
  if (textSize !== undefined && cell.text !== undefined) {
    const two = shown.note && cell.note !== undefined;
    const y = box.y + box.height / 2 + (two ? -1 : 4);
    const weight = cell.bold === true ? 600 : 400;
    const words = fitText(cell.text, box.width - 4, textSize, weight);
    parts.push(svgText(words, middle, y, { size: textSize, fill: color.ink, anchor: "middle", weight }));
    if (cell.underlined === true) {
      const half = Math.min(textWidth(words, textSize), box.width - 6) / 2;
      parts.push(svgLine([middle - half, y + 3], [middle + half, y + 3], { stroke: color.ink }));
    }
    if (two)
      parts.push(
        svgText(cell.note ?? "", middle, y + noteGap, { size: noteSize, fill: color.ink, anchor: "middle" }),
      );
  }
  if (cell.framed === true)
    parts.push(
      svgRect(
        { x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2 },
        { stroke: color.ink, strokeWidth: 2 },
      ),
    );
  return parts.join("");
}

/** Whether the longest text of the cells finds room. */
function fits(
  cells: readonly GridCell[],
  read: (cell: GridCell) => string | undefined,
  size: number,
  room: number,
): boolean {
  const widths = cells.map((cell) => textWidth(read(cell) ?? "", size, cell.bold === true ? 600 : 400));
  return widths.length > 0 && Math.max(...widths) <= room;
}

/** Rows × columns of coloured cells with their names around them and the key beneath: matrices and heat maps. */
export function cellGrid(options: GridOptions): Grid {
  const { width, rows, columns, cells, rowHeight } = options;
  const room = labelRoom(options);
  const each = Math.min(options.columnWidth, (width - room.all) / columns.length);
  const names = columnNames(columns, { x: room.all, width: each, how: options.names });
  const top = 16 + names.height + 4;
  const gap = each >= 12 && rowHeight >= 12 ? 1 : 0;
  const { cutTexts } = options;
  const text =
    rowHeight < 14
      ? undefined
      : textSizes.find((size) =>
          cutTexts === undefined ? fits(cells, (cell) => cell.text, size, each - 4) : each >= cutTexts,
        );
  const note = text !== undefined && rowHeight >= 32 && fits(cells, (cell) => cell.note, noteSize, each - 4);
  const plain = text === undefined || cells.every((cell) => cell.text === undefined);
  const many = cells.length > mostTitles;
  const drawn =
    many && plain && cells.every(({ framed, struck }) => framed !== true && struck !== true)
      ? [
          levelPaths(
            cells.map(({ row, column, strength }) => ({
              row,
              column,
              level: strength === null ? null : levelOf(strength),
            })),
            { x: room.all, y: top, width: each, height: rowHeight },
          ),
        ]
      : cells.map((cell) => {
          const box = {
            x: room.all + cell.column * each,
            y: top + cell.row * rowHeight,
            width: each - gap,
            height: rowHeight - gap,
          };
          return drawCell(cell, box, { text, note, plain, title: !many });
        });
  const labels = rows.map(({ number, label, note: under, bold, quiet }, index) => {
    const space = room.all - room.number - 8;
    const weight = bold === true ? 600 : 400;
    const two = under !== undefined && rowHeight >= 28;
    const y = top + index * rowHeight + rowHeight / 2 + (two ? -2 : 4);
    return [
      number === undefined
        ? ""
        : svgText(number, room.number - 8, y, { fill: color.muted, anchor: "end", size: labelSize }),
      svgText(fitText(label, space, labelSize, weight), room.number, y, {
        fill: quiet === true ? color.muted : color.ink,
        size: labelSize,
        weight,
      }),
      two
        ? svgText(fitText(under, space, noteSize), room.number, y + noteGap, {
            fill: color.muted,
            size: noteSize,
          })
        : "",
    ].join("");
  });
  const { key } = options;
  const marked =
    plain && key.low !== undefined ? { ...key, text: `${key.text} Dotted: below ${key.middle}.` } : key;
  const columnTitle = fitText(options.columnTitle, width, labelSize);
  const bottom = top + rows.length * rowHeight;
  const body = [
    axisTitle(columnTitle, Math.min(room.all, width - textWidth(columnTitle, labelSize)), 10),
    axisTitle(fitText(options.rowTitle, room.all - 8, labelSize), 0, top - 6),
    `<g transform="translate(0,16)">${names.body}</g>`,
    ...labels,
    ...drawn,
    `<g transform="translate(0,${bottom + 14})">${gridKey(marked, { width, plain })}</g>`,
  ].join("");
  return {
    body,
    height: bottom + 14 + gridKeyHeight(marked, width),
    texts: text !== undefined,
    notes: note,
    hover: !many,
  };
}

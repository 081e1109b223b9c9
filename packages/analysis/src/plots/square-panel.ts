import * as Plot from "@observablehq/plot";
import { color } from "./palette.ts";
import { axisTitle } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid, type Panel } from "./plot-panel.ts";

const margin = { top: 26, right: 12, bottom: 42, left: 36 };

export interface SquarePanel extends Panel {
  width: number;
  height: number;
  /** Room to the right of the panel, in which a list may stand; 0 where the list belongs beneath. */
  beside: number;
}

const ticks = [0, 0.25, 0.5, 0.75, 1];

/** A panel of two shares from 0 to 1 with one unit as long on both axes, and the diagonal. A list beside it needs `list` pixels. */
export function squarePanel(at: {
  width: number;
  list: number;
  xTitle: string;
  yTitle: string;
  marks: Plot.Markish[];
}): SquarePanel {
  const beside = at.width - at.list - margin.left - margin.right >= 280;
  const side = Math.min(420, at.width - margin.left - margin.right - (beside ? at.list : 0));
  const width = side + margin.left + margin.right;
  const height = side + margin.top + margin.bottom;
  const scale = { domain: [0, 1] };
  const panel = plotPanel({
    width,
    height,
    margin,
    x: { ...scale, type: "linear" },
    y: scale,
    marks: [
      Plot.gridX(ticks, { stroke: color.grid, strokeOpacity: 1 }),
      ...yGrid(ticks, String),
      ...xAxis(ticks, String),
      Plot.line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: color.control, strokeDasharray: "5 4" },
      ),
      ...at.marks,
    ],
  });
  const titles = [
    axisTitle(at.yTitle, 0, 12),
    axisTitle(at.xTitle, margin.left + side / 2, height - 6, "middle"),
  ].join("");
  return { ...panel, body: panel.body + titles, width, height, beside: beside ? at.width - width : 0 };
}

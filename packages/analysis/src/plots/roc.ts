import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { rocCurveSchema, type RocCurve } from "../results/roc-curve.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { color } from "./palette.ts";
import { counted, decimals, estimateText, percent, signed } from "./plot-format.ts";
import { squarePanel } from "./square-panel.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { markers, svgMarker } from "./svg-shapes.ts";
import { svgText, wrapText } from "./svg-text.ts";

const score = decimals(3);
const share = decimals(2);

type Mark = RocCurve["marks"][number];

/** Corners that lie nearer than a quarter of a pixel to the last one kept are not seen: a curve of a million rows stays a small file. */
function seen(points: RocCurve["points"], pixels: number): RocCurve["points"] {
  let last = points[0];
  return points.filter((point, index) => {
    if (last === undefined || index === 0 || index === points.length - 1) return true;
    const moved =
      Math.abs(point.falsePositiveRate - last.falsePositiveRate) + Math.abs(point.recall - last.recall);
    if (moved * pixels < 0.25) return false;
    last = point;
    return true;
  });
}

function rateText(rate: number): string {
  return `${signed(100 * rate)}%`;
}

function markText({ rate, recall, falsePositiveRate }: Mark): string {
  return `chosen for ${rateText(rate)}: recall ${estimateText(recall, share)} at a false-positive rate of ${estimateText(falsePositiveRate, percent)}`;
}

/** The numbers of the curve in words, each mark with its sign. */
function list(curve: RocCurve, room: number): { body: string; height: number } {
  const parts: string[] = [];
  let y = 12;
  const write = (text: string, style: { x?: number; size?: number; fill?: string; weight?: 600 }): void => {
    const { x = 0, size = 11, fill = color.ink, weight } = style;
    for (const line of wrapText(text, room - x, size, weight)) {
      parts.push(svgText(line, x, y, { size, fill, weight: weight ?? 400 }));
      y += size + 4;
    }
  };
  write("AUROC", { fill: color.muted });
  write(estimateText(curve.auroc, score), { size: 13, weight: 600 });
  y += 8;
  if (curve.marks.length > 0) write("recall at a false-positive rate of", { fill: color.muted });
  curve.marks.forEach((mark, index) => {
    parts.push(svgMarker(markers[index % markers.length] ?? "circle", 6, y - 4, 4.5, { fill: color.blue }));
    write(`${rateText(mark.rate)}: ${estimateText(mark.recall, share)}`, { x: 18 });
    write(`actual rate ${estimateText(mark.falsePositiveRate, percent)}`, {
      x: 18,
      size: 10,
      fill: color.muted,
    });
    y += 4;
  });
  return { body: parts.join(""), height: y };
}

function describe(curve: RocCurve): { caption: string; alt: string } {
  const { n, groups, positives, draws, marks, auroc, label, strata } = curve;
  return {
    caption:
      `n = ${counted(n, "row")} (${positives.toLocaleString("en")} positive) in ${counted(groups, "group")}. ` +
      `Band and intervals: 95%, ${counted(draws, "draw")} of whole groups; the band is of the recall at each rate. Dashed: no better than chance.` +
      (marks.length === 0
        ? ""
        : " Marks: thresholds chosen on these very rows for a false-positive rate, and the rate that they have.") +
      (strata === undefined
        ? ""
        : ` The average of ${counted(strata, "curve")}, one a fold: their scores have no common scale.`),
    alt:
      `ROC curve of ${label}. AUROC ${estimateText(auroc, score)}; 0.5 is chance.` +
      marks.map((mark) => ` A threshold ${markText(mark)}.`).join(""),
  };
}

/**
 * ROC curve: recall against the false-positive rate with the band of its interval, chance as the diagonal, and the thresholds chosen for
 * fixed rates marked. Throws InvalidRequestError for a document that is no ROC curve.
 */
export function plotRoc(curve: RocCurve, options: FigureOptions = {}): Figure {
  const given = checkResult(rocCurveSchema, curve, "plotRoc");
  const { width } = checkOptions(figureOptions, options, "plotRoc");
  const points = seen(given.points, 420);
  const band = given.band.flatMap(({ falsePositiveRate, recall: { low, high } }) =>
    low === null || high === null ? [] : [{ falsePositiveRate, low, high }],
  );
  const panel = squarePanel({
    width,
    list: 230,
    xTitle: "false-positive rate",
    yTitle: "recall (share of positive rows found)",
    marks: [
      Plot.areaY(band, {
        x: "falsePositiveRate",
        y1: "low",
        y2: "high",
        fill: color.blue,
        fillOpacity: 0.18,
      }),
      Plot.line(points, { x: "falsePositiveRate", y: "recall", stroke: color.blue, strokeWidth: 2 }),
    ],
  });
  const marks = given.marks.map((mark, index) => {
    const { recall, falsePositiveRate } = mark;
    if (recall.value === null || falsePositiveRate.value === null) return "";
    const shape = markers[index % markers.length] ?? "circle";
    return svgMarker(shape, panel.x(falsePositiveRate.value), panel.y(recall.value), 5, {
      fill: color.blue,
      stroke: color.surface,
      strokeWidth: 1.5,
      title: markText(mark),
    });
  });
  const words = list(given, panel.beside > 0 ? panel.beside - 20 : width - 36);
  const at = panel.beside > 0 ? `${panel.width + 20},26` : `36,${panel.height + 8}`;
  const body = panel.body + marks.join("") + `<g transform="translate(${at})">${words.body}</g>`;
  const height =
    panel.beside > 0 ? Math.max(panel.height, words.height + 30) : panel.height + 8 + words.height;
  return svgFigure({
    title: `ROC curve: ${given.label}`,
    ...describe(given),
    width,
    height,
    body,
  });
}

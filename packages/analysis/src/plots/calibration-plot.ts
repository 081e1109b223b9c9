import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { reliabilityCurveSchema, type ReliabilityCurve } from "../results/reliability-curve.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { color } from "./palette.ts";
import { counted, decimals, estimateText } from "./plot-format.ts";
import { squarePanel } from "./square-panel.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgLine, svgMarker } from "./svg-shapes.ts";
import { svgText, wrapText } from "./svg-text.ts";

const three = decimals(3);
const two = decimals(2);

type Bin = ReliabilityCurve["bins"][number];

function binText({ low, high, meanProbability, positives }: Bin): string {
  const rows = positives.n === undefined ? "" : `${counted(positives.n, "row")}, `;
  return `${rows}probability ${two(low)} to ${two(high)}, mean ${two(meanProbability)}: ${estimateText(positives, two)} positive`;
}

/** Area by rows, so that a bin of three rows does not look like one of three hundred. */
function radius({ positives: { n } }: Bin, most: number): number {
  return n === undefined || most === 0 ? 4 : 2.5 + 5 * Math.sqrt(n / most);
}

function list(curve: ReliabilityCurve, room: number): { body: string; height: number } {
  const rows: [string, string, string | undefined][] = [
    [
      "calibration error",
      estimateText(curve.calibrationError, three),
      curve.perfectError === null
        ? undefined
        : `perfect probabilities would get ${three(curve.perfectError)}`,
    ],
    ["Brier score", estimateText(curve.brier, three), undefined],
    ["log loss, nats", estimateText(curve.logLoss, three), undefined],
  ];
  const parts: string[] = [];
  let y = 12;
  const write = (text: string, size: number, fill: string, weight: 400 | 600 = 400): void => {
    for (const line of wrapText(text, room, size, weight)) {
      parts.push(svgText(line, 0, y, { size, fill, weight }));
      y += size + 4;
    }
  };
  for (const [name, value, note] of rows) {
    write(name, 11, color.muted);
    write(value, 12, color.ink, 600);
    if (note !== undefined) write(note, 10, color.muted);
    y += 7;
  }
  return { body: parts.join(""), height: y };
}

function describe(curve: ReliabilityCurve): { caption: string; alt: string } {
  const { n, groups, draws, bins, binning } = curve;
  const offs = bins.flatMap((bin) =>
    bin.positives.value === null ? [] : [{ bin, off: bin.positives.value - bin.meanProbability }],
  );
  const worst = offs.sort((a, b) => Math.abs(b.off) - Math.abs(a.off))[0];
  return {
    caption:
      `n = ${counted(n, "row")} in ${counted(groups, "group")}, ${counted(bins.length, "bin")} of equal ${binning === "width" ? "width" : "numbers of rows"}. ` +
      `Bars: 95% intervals (Clopper–Pearson at what grouped rows are worth). Intervals of the numbers: 95%, ${counted(draws, "draw")} of whole groups. ` +
      "Larger dots hold more rows. Dashed: probabilities that come true.",
    alt:
      `Reliability of probabilities: calibration error ${estimateText(curve.calibrationError, three)}` +
      (curve.perfectError === null
        ? "."
        : `; perfect probabilities would get ${three(curve.perfectError)}.`) +
      (worst === undefined
        ? ""
        : ` The bin farthest from the diagonal: mean probability ${two(worst.bin.meanProbability)}, ${two(worst.bin.positives.value ?? 0)} positive.`),
  };
}

/**
 * Calibration: the share of positives in each bin of probabilities, with intervals, against the diagonal of probabilities that come true.
 * Throws InvalidRequestError for a document that is no reliability curve.
 */
export function plotCalibration(curve: ReliabilityCurve, options: FigureOptions = {}): Figure {
  const given = checkResult(reliabilityCurveSchema, curve, "plotCalibration");
  const { width } = checkOptions(figureOptions, options, "plotCalibration");
  const shown = given.bins.filter(({ positives }) => positives.value !== null);
  const points = shown.map((bin) => ({ x: bin.meanProbability, y: bin.positives.value ?? 0 }));
  const panel = squarePanel({
    width,
    list: 230,
    xTitle: "mean probability in the bin",
    yTitle: "share of positive rows",
    marks: [Plot.line(points, { x: "x", y: "y", stroke: color.blue, strokeWidth: 1.25, strokeOpacity: 0.7 })],
  });
  const most = Math.max(0, ...shown.map(({ positives }) => positives.n ?? 0));
  const dots = shown.map((bin) => {
    const { low, high, value } = bin.positives;
    const x = panel.x(bin.meanProbability);
    const bar =
      low === null || high === null
        ? ""
        : svgLine([x, panel.y(low)], [x, panel.y(high)], { stroke: color.blue, strokeWidth: 1.5 });
    const style = { fill: color.blue, stroke: color.surface, strokeWidth: 1, title: binText(bin) };
    return bar + svgMarker("circle", x, panel.y(value ?? 0), Math.round(10 * radius(bin, most)) / 10, style);
  });
  const words = list(given, panel.beside > 0 ? panel.beside - 20 : width - 36);
  const at = panel.beside > 0 ? `${panel.width + 20},26` : `36,${panel.height + 8}`;
  return svgFigure({
    title: "Do the probabilities come true?",
    ...describe(given),
    width,
    height: panel.beside > 0 ? Math.max(panel.height, words.height + 30) : panel.height + 8 + words.height,
    body: panel.body + dots.join("") + `<g transform="translate(${at})">${words.body}</g>`,
  });
}

import * as Plot from "@observablehq/plot";
import { checkOptions } from "../options/check-options.ts";
import { projectionSchema, type Projection } from "../results/projection.ts";
import { checkResult } from "./check-result.ts";
import { classStyle } from "./class-style.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { niceTicks } from "./nice-ticks.ts";
import { color } from "./palette.ts";
import { counted, percent, signed } from "./plot-format.ts";
import { axisTitle } from "./plot-labels.ts";
import { plotPanel, xAxis, yGrid } from "./plot-panel.ts";
import { seriesKey } from "./series-key.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgMarker, svgPath } from "./svg-shapes.ts";
import { fitText } from "./svg-text.ts";

/** Rows beyond are left out evenly: more would be a blot of megabytes. */
const mostPoints = 1500;
const margin = { right: 10, bottom: 44, left: 46 };

type Ellipse = Projection["ellipses"][number];
type Class = Projection["classes"][number];

const whole = projectionSchema.superRefine(({ classes, points, ellipses }, context) => {
  const allowed = `one of its classes: ${classes.map(String).join(", ")}`;
  const check = (label: Class, path: (string | number)[]): void => {
    if (!classes.includes(label)) context.addIssue({ code: "custom", path, message: allowed });
  };
  points.forEach(({ label }, index) => check(label, ["points", index, "label"]));
  ellipses.forEach(({ label }, index) => check(label, ["ellipses", index, "label"]));
});

/** The ellipse as a closed line of points. */
function outline({ x, y, a, b, angle }: Ellipse): [number, number][] {
  return Array.from({ length: 73 }, (_, index) => {
    const turn = (index / 72) * 2 * Math.PI;
    const [along, across] = [a * Math.cos(turn), b * Math.sin(turn)];
    return [
      x + along * Math.cos(angle) - across * Math.sin(angle),
      y + along * Math.sin(angle) + across * Math.cos(angle),
    ];
  });
}

function extent(values: number[]): [number, number] {
  const [low, high] = values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
  const pad = high === low ? Math.abs(high) || 1 : 0.04 * (high - low);
  return [low - pad, high + pad];
}

interface Frame {
  x: [number, number];
  y: [number, number];
  height: number;
  /** Whether one unit is as long on both axes. */
  equal: boolean;
}

/** Equal units where the picture stays between a flat and a square one; axes of very different reach get scales of their own. */
function frameOf(x: [number, number], y: [number, number], width: number): Frame {
  const [wide, high] = [x[1] - x[0], y[1] - y[0]];
  const natural = (width * high) / wide;
  if (natural >= 0.35 * width && natural <= width) return { x, y, height: natural, equal: true };
  if (natural < 0.35 * width && natural > 0.06 * width) {
    const grow = (0.35 * width * wide) / width - high;
    return { x, y: [y[0] - grow / 2, y[1] + grow / 2], height: 0.35 * width, equal: true };
  }
  if (natural > width && natural < 6 * width) {
    const grow = high - wide;
    return { x: [x[0] - grow / 2, x[1] + grow / 2], y, height: width, equal: true };
  }
  return { x, y, height: 0.62 * width, equal: false };
}

function axisName({ axes }: Projection, index: 0 | 1): string {
  const axis = axes[index];
  const share = axis?.variance == null ? "" : `, ${percent(axis.variance)} of the variance`;
  return `${axis?.name ?? ""}${share}`;
}

function describe(given: Projection, drawn: number, equal: boolean): { caption: string; alt: string } {
  const { n, groups, group, method, layer, label, ellipses, points } = given;
  const shares = [...new Set(ellipses.map(({ share }) => `${signed(100 * share)}%`))].join(" or ");
  const how =
    method === "pca"
      ? "The two leading principal components of all rows"
      : "Discriminants fitted without the row’s own group, so that no row is separated by its own label";
  return {
    caption:
      `n = ${counted(n, "row")} in ${counted(groups, "group")} (by ${group}). ${how}. ` +
      (ellipses.length === 0
        ? ""
        : `Ellipses hold ${shares} of a normal cloud with the class’s mean and covariance; they are no confidence regions of the mean. `) +
      (equal ? "One unit is as long on both axes." : "The axes have scales of their own.") +
      (drawn < points.length ? ` ${drawn.toLocaleString("en")} of the rows are drawn, taken evenly.` : "") +
      given.notes.map((note) => ` ${note}`).join(""),
    alt:
      `Scatter of ${counted(points.length, "row")} of layer ${layer} on two ${method === "pca" ? "principal components" : "discriminants"}, by ${label}. ` +
      ellipses
        .map(
          ({ label: name, x, y, a, b, n: rows }) =>
            `${String(name)}: ${counted(rows, "row")} about (${short(x)}, ${short(y)}), half axes ${short(a)} and ${short(b)}.`,
        )
        .join(" "),
  };
}

function short(value: number): string {
  return signed(Number(value.toPrecision(3)));
}

/**
 * Rows of a layer on a plane (PCA or cross-fitted LDA), each class with its colour, mark and ellipse. Throws InvalidRequestError for a
 * document that is no projection.
 */
export function plotProjection(projection: Projection, options: FigureOptions = {}): Figure {
  const given = checkResult(whole, projection, "plotProjection");
  const { width } = checkOptions(figureOptions, options, "plotProjection");
  const { points, ellipses, classes } = given;
  const step = Math.max(1, points.length / mostPoints);
  const shown = Array.from(
    { length: Math.min(points.length, mostPoints) },
    (_, index) => points[Math.floor(index * step)]!,
  );
  const lines = ellipses.map((ellipse) => ({ ellipse, line: outline(ellipse) }));
  const places = [...shown.map(({ x, y }) => [x, y] as const), ...lines.flatMap(({ line }) => line)];
  const inner = Math.min(width, 760) - margin.left - margin.right;
  const frame = frameOf(extent(places.map(([x]) => x)), extent(places.map(([, y]) => y)), inner);
  const styles = new Map(classes.map((name, index) => [name, classStyle(index)]));
  const counts = new Map(classes.map((name) => [name, points.filter(({ label }) => label === name).length]));
  const key = seriesKey(
    classes.map((name) => ({
      ...classStyle(classes.indexOf(name)),
      name: `${String(name)} (${(counts.get(name) ?? 0).toLocaleString("en")})`,
    })),
    width,
  );
  const top = key.height + 26;
  const height = top + frame.height + margin.bottom;
  const across = niceTicks(...frame.x, Math.max(3, inner / 80));
  const radius = shown.length > 400 ? 2.2 : 3;
  const panel = plotPanel({
    width: inner + margin.left + margin.right,
    height,
    margin: { top, ...margin },
    x: { type: "linear", domain: frame.x },
    y: { domain: frame.y },
    marks: [
      Plot.gridX(across, { stroke: color.grid, strokeOpacity: 1 }),
      ...yGrid(niceTicks(...frame.y, Math.max(3, frame.height / 60)), (value) => signed(value)),
      ...xAxis(across, (value) => signed(value)),
    ],
  });
  const dots = shown.map(({ x, y, label, group, example }) => {
    const style = styles.get(label) ?? classStyle(0);
    const title =
      shown.length <= 600 ? { title: `${String(label)}, ${given.group} ${group}, example ${example}` } : {};
    return svgMarker(style.shape, panel.x(x), panel.y(y), radius, {
      fill: style.fill,
      fillOpacity: 0.6,
      ...title,
    });
  });
  const rings = lines.map(({ ellipse, line }) => {
    const { fill, dash } = styles.get(ellipse.label) ?? classStyle(0);
    const way = line.map(([x, y]) => [panel.x(x), panel.y(y)] as const);
    return svgPath(way, { stroke: fill, strokeWidth: 2, ...(dash === undefined ? {} : { dash }) });
  });
  const middles = ellipses.map(({ label, x, y }) => {
    const { fill, shape } = styles.get(label) ?? classStyle(0);
    return svgMarker(shape, panel.x(x), panel.y(y), 6.5, {
      fill,
      stroke: color.surface,
      strokeWidth: 2,
      title: `mean of ${String(label)}`,
    });
  });
  const body = [
    key.body,
    axisTitle(fitText(axisName(given, 1), width, 11), 0, key.height + 14),
    panel.body,
    ...dots,
    ...rings,
    ...middles,
    axisTitle(fitText(axisName(given, 0), inner, 11), margin.left + inner / 2, height - 6, "middle"),
  ].join("");
  return svgFigure({
    title: `Rows of layer ${given.layer} by “${given.label}”, on ${given.method === "pca" ? "two principal components" : "axes that part its classes"}`,
    ...describe(given, shown.length, frame.equal),
    width,
    height,
    body,
  });
}

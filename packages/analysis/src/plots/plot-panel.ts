import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { plainText } from "./html-text.ts";
import { color } from "./palette.ts";
import { round } from "./svg-text.ts";

interface PanelOptions {
  width: number;
  height: number;
  margin: { top: number; right: number; bottom: number; left: number };
  x: Plot.ScaleOptions;
  y: Plot.ScaleOptions;
  marks: Plot.Markish[];
}

export interface Panel {
  /** SVG elements, origin at the panel's top left corner. */
  body: string;
  x(value: number): number;
  y(value: number): number;
}

const drawnNumber = /-?\d+\.\d{3,}/g;

/** Coordinates to a hundredth of a pixel: smaller files, and the same bytes on every machine. */
function roundAttributes(element: Element): void {
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name) ?? "";
    const rounded = value.replace(drawnNumber, (digits) => String(round(Number(digits))));
    if (rounded !== value) element.setAttribute(name, rounded);
  }
}

/** Draws marks with Observable Plot on a document of its own and returns the elements with the scales that placed them. */
export function plotPanel({ width, height, margin, x, y, marks }: PanelOptions): Panel {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const plot = Plot.plot({
    document,
    width,
    height,
    marginTop: margin.top,
    marginRight: margin.right,
    marginBottom: margin.bottom,
    marginLeft: margin.left,
    x: { ...x, label: null, axis: null },
    y: { ...y, label: null, axis: null },
    marks,
  });
  plot.querySelector("style")?.remove();
  for (const element of plot.querySelectorAll("*")) {
    roundAttributes(element);
    // Observable Plot names its groups, which only elements with a role may have; the picture as a whole is named.
    element.removeAttribute("aria-label");
  }
  for (const element of plot.querySelectorAll("text,title"))
    element.textContent = plainText(element.textContent);
  const place = (axis: "x" | "y") => {
    const scale = plot.scale(axis);
    return (value: number): number => Number(scale?.apply(value));
  };
  return {
    body: `<g text-anchor="middle" font-size="11">${plot.innerHTML.replaceAll("//", "/&#47;")}</g>`,
    x: place("x"),
    y: place("y"),
  };
}

/** Quiet horizontal grid and its numbers. */
export function yGrid(ticks: number[], format: (value: number) => string): Plot.Markish[] {
  return [
    Plot.gridY(ticks, { stroke: color.grid, strokeOpacity: 1 }),
    Plot.axisY(ticks, { tickSize: 0, tickPadding: 8, tickFormat: format, fill: color.muted, label: null }),
  ];
}

/** Numbers under the panel, with short ticks at the places that were measured. */
export function xAxis(ticks: number[], format: (value: number) => string): Plot.Markish[] {
  return [
    Plot.axisX(ticks, {
      tickSize: 4,
      tickPadding: 4,
      tickFormat: format,
      fill: color.muted,
      stroke: color.control,
      label: null,
    }),
  ];
}

import { escapeHtml, plainText } from "./html-text.ts";
import { round } from "./svg-text.ts";

interface ShapeStyle {
  fill?: string;
  fillOpacity?: number;
  stroke?: string;
  strokeWidth?: number;
  strokeOpacity?: number;
  dash?: string;
  /** Shown on hover. */
  title?: string;
}

function styled(element: string, attributes: string, style: ShapeStyle): string {
  const given: [string, string | number | undefined][] = [
    ["fill", style.fill ?? "none"],
    ["fill-opacity", style.fillOpacity],
    ["stroke", style.stroke],
    ["stroke-width", style.strokeWidth],
    ["stroke-opacity", style.strokeOpacity],
    ["stroke-dasharray", style.dash],
  ];
  const written = given.flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${value}"`]));
  const start = `<${element} ${attributes}${written.join("")}`;
  if (style.title === undefined) return `${start}/>`;
  return `${start}><title>${escapeHtml(plainText(style.title, 600))}</title></${element}>`;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function svgRect({ x, y, width, height }: Box, style: ShapeStyle): string {
  return styled(
    "rect",
    `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`,
    style,
  );
}

export function svgLine(
  from: readonly [number, number],
  to: readonly [number, number],
  style: ShapeStyle,
): string {
  return svgPath([from, to], style);
}

/** A line through points. */
export function svgPath(points: readonly (readonly [number, number])[], style: ShapeStyle): string {
  return styled("path", `d="M${points.map(([x, y]) => `${round(x)},${round(y)}`).join("L")}"`, style);
}

export const markers = ["circle", "square", "triangle", "diamond", "down", "cross"] as const;
export type MarkerShape = (typeof markers)[number];

/** Corners about a centre, as wide as looks equal to a circle of radius 1. */
const corners: Record<Exclude<MarkerShape, "circle">, readonly (readonly [number, number])[]> = {
  square: [
    [-0.88, -0.88],
    [0.88, -0.88],
    [0.88, 0.88],
    [-0.88, 0.88],
  ],
  triangle: [
    [0, -1.25],
    [1.15, 0.8],
    [-1.15, 0.8],
  ],
  diamond: [
    [0, -1.3],
    [1.3, 0],
    [0, 1.3],
    [-1.3, 0],
  ],
  down: [
    [0, 1.25],
    [1.15, -0.8],
    [-1.15, -0.8],
  ],
  cross: [
    [-0.4, -1.2],
    [0.4, -1.2],
    [0.4, -0.4],
    [1.2, -0.4],
    [1.2, 0.4],
    [0.4, 0.4],
    [0.4, 1.2],
    [-0.4, 1.2],
    [-0.4, 0.4],
    [-1.2, 0.4],
    [-1.2, -0.4],
    [-0.4, -0.4],
  ],
};

/** A mark whose shape tells its series apart where colours do not. */
export function svgMarker(
  shape: MarkerShape,
  x: number,
  y: number,
  radius: number,
  style: ShapeStyle,
): string {
  if (shape === "circle") return styled("circle", `cx="${round(x)}" cy="${round(y)}" r="${radius}"`, style);
  const points = corners[shape].map(([dx, dy]) => `${round(x + dx * radius)},${round(y + dy * radius)}`);
  return styled("path", `d="M${points.join("L")}Z"`, style);
}

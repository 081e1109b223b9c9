import * as Plot from "@observablehq/plot";
import { fittingTicks } from "./fitting-ticks.ts";
import { color } from "./palette.ts";
import { scaleText, signed } from "./plot-format.ts";
import { plotPanel, xAxis, yGrid, type Panel } from "./plot-panel.ts";
import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { round } from "./svg-text.ts";

export const perplexityPanelHeight = 118;

function logTicks(highest: number): number[] {
  const candidates =
    highest > 1e4 ? [1, 1e2, 1e4, 1e6, 1e8] : highest > 30 ? [1, 10, 100, 1e3, 1e4] : [1, 2, 4, 10];
  return candidates.filter((tick) => tick <= highest);
}

/** The small panel beneath a dose curve: perplexity of neutral text over its value at scale 0. Undefined when it was not measured. */
export function perplexityPanel(
  evaluation: SteeringEvaluation,
  at: { width: number; left: number; right: number; domain: number[] },
): Panel | undefined {
  const points = evaluation.scales.flatMap(({ scale, perplexity }) =>
    perplexity === null
      ? []
      : [
          {
            scale,
            ratio: perplexity.ratio,
            text: `perplexity at scale ${scaleText(scale)}: ${signed(perplexity.value, 2)}, ×${signed(perplexity.ratio, 2)}`,
          },
        ],
  );
  if (points.length === 0) return undefined;
  points.sort((a, b) => a.scale - b.scale);
  const highest = Math.max(1.25, ...points.map(({ ratio }) => ratio));
  const lowest = Math.min(1, ...points.map(({ ratio }) => ratio));
  // Great damage on a logarithmic axis, done here: Plot's own hides the numbers between powers of ten.
  const wide = highest > 4;
  const height = (ratio: number): number => (wide ? Math.log(ratio) : ratio);
  const ticks = wide ? logTicks(highest) : [1, round(highest)];
  return plotPanel({
    width: at.width,
    height: perplexityPanelHeight,
    margin: { top: 26, right: at.right, bottom: 40, left: at.left },
    x: { type: "linear", domain: at.domain },
    y: { domain: [height(Math.min(lowest, 0.98)), height(highest * 1.02)] },
    marks: [
      ...yGrid(ticks.map(height), (y) => `×${signed(wide ? Math.round(Math.exp(y)) : y)}`),
      ...xAxis(scaleTicks(evaluation, at.width - at.left - at.right), scaleText),
      Plot.line(points, {
        x: "scale",
        y: ({ ratio }: { ratio: number }) => height(ratio),
        stroke: color.purple,
        strokeWidth: 2,
      }),
      Plot.dot(points, {
        x: "scale",
        y: ({ ratio }: { ratio: number }) => height(ratio),
        r: 3,
        fill: color.purple,
        title: "text",
      }),
    ],
  });
}

/** Scales whose names find room on an axis of `pixels`: 0 and the ends first, then the others from the left. */
export function scaleTicks({ scales }: SteeringEvaluation, pixels: number): number[] {
  const sorted = [...new Set(scales.map(({ scale }) => scale))].sort((a, b) => a - b);
  const [low, high] = [Math.min(0, ...sorted), Math.max(0, ...sorted)];
  const ends = [...sorted.slice(0, 1), ...sorted.slice(-1)];
  const x = (scale: number): number => (high === low ? pixels / 2 : ((scale - low) / (high - low)) * pixels);
  return fittingTicks([...(sorted.includes(0) ? [0] : []), ...ends, ...sorted], x, scaleText);
}

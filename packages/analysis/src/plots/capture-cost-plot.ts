import { checkOptions } from "../options/check-options.ts";
import { captureCostSchema, type CaptureCost } from "../results/capture-cost.ts";
import { checkResult } from "./check-result.ts";
import { figureOptions, type FigureOptions } from "./figure-width.ts";
import { color } from "./palette.ts";
import { counted, percent, signed } from "./plot-format.ts";
import { axisTitle } from "./plot-labels.ts";
import { svgFigure, type Figure } from "./svg-figure.ts";
import { svgLine, svgPath, svgRect } from "./svg-shapes.ts";
import { fitText, svgText, wrapText } from "./svg-text.ts";

type Plan = CaptureCost["plans"][number];

/** Bars reach this many limits at most: one huge plan shall not flatten the rest. */
const mostLimits = 2.5;
const bar = 14;

function sum({ layers, positions, numbers }: Plan, hiddenSize: number): string {
  const parts = [
    `${counted(layers, "layer")}`,
    counted(positions, "position"),
    hiddenSize.toLocaleString("en"),
  ];
  return `${parts.join(" × ")} = ${numbers.toLocaleString("en")}`;
}

function shareText({ numbers, fits }: Plan, limit: number): string {
  const share = numbers / limit;
  if (!fits && share < 1.1) return `${(numbers - limit).toLocaleString("en")} over the limit: does not fit`;
  const text =
    share > 10 ? `${signed(Number(share.toPrecision(3)))} times the limit` : `${percent(share)} of the limit`;
  return fits ? text : `${text}: does not fit`;
}

function describe({ hiddenSize, limit, plans }: CaptureCost): { caption: string; alt: string } {
  const over = plans.filter(({ fits }) => !fits);
  return {
    caption:
      `n = ${counted(plans.length, "plan")}. Numbers = layers × positions (prompt tokens + max_tokens) × hidden size ${hiddenSize.toLocaleString("en")}; ` +
      `one capture may hold ${limit.toLocaleString("en")}. Hatched bars do not fit; a torn one is longer than the picture. Sums, not measurements: no interval.`,
    alt:
      `What ${counted(plans.length, "planned capture")} take of the ${limit.toLocaleString("en")} numbers that one may hold; ` +
      (over.length === 0
        ? "all fit."
        : `${over.length} do not fit: ${over.map(({ name }) => name).join(", ")}.`),
  };
}

/** Strokes across the bar of a plan that does not fit: seen without colour. */
function hatching(x: number, y: number, width: number, stroke: string): string {
  const strokes: string[] = [];
  for (let at = 0; at < width + bar; at += 6) {
    const [from, to] = [Math.max(0, at - bar), Math.min(at, width)];
    strokes.push(
      svgPath(
        [
          [x + from, y + at - from],
          [x + to, y + at - to],
        ],
        { stroke },
      ),
    );
  }
  return strokes.join("");
}

/**
 * What planned captures take of what one capture may hold: a bar a plan against the limit, and what would fit where one does not. Throws
 * InvalidRequestError for a document that is no capture cost.
 */
export function plotCaptureCost(cost: CaptureCost, options: FigureOptions = {}): Figure {
  const given = checkResult(captureCostSchema, cost, "plotCaptureCost");
  const { width } = checkOptions(figureOptions, options, "plotCaptureCost");
  const { plans, limit, hiddenSize } = given;
  const most = Math.min(mostLimits, Math.max(1.15, ...plans.map(({ numbers }) => numbers / limit)));
  const x = (share: number): number => (Math.min(share, most) / most) * (width - 12);
  const top = 18;
  let y = top;
  const rows = plans.map((plan) => {
    const share = plan.numbers / limit;
    const fill = plan.fits ? color.blue : color.orange;
    const long = x(share);
    const parts: string[] = [];
    const write = (text: string, weight: 400 | 600, tone: string): void => {
      for (const line of wrapText(text, width, 11, weight).slice(0, 4)) {
        parts.push(svgText(line, 0, y + 11, { fill: tone, weight }));
        y += 15;
      }
    };
    y += 8;
    write(fitText(plan.name, width, 11, 600), 600, color.ink);
    write(`${sum(plan, hiddenSize)} numbers, ${shareText(plan, limit)}`, 400, color.muted);
    const box = { x: 0, y: y + 4, width: Math.max(1, long), height: bar };
    parts.push(
      svgRect(box, {
        fill,
        fillOpacity: plan.fits ? 0.8 : 0.25,
        stroke: fill,
        title: `${plan.name}: ${sum(plan, hiddenSize)}`,
      }),
    );
    if (!plan.fits) parts.push(hatching(0, box.y, long, fill));
    if (share > most) {
      const tear = [0, 1, 2, 3, 4].map(
        (step) => [long - 8 + (step % 2) * 6, box.y - 1 + (step * (bar + 2)) / 4] as const,
      );
      parts.push(svgPath(tear, { stroke: color.surface, strokeWidth: 3 }));
    }
    y += bar + 8;
    if (plan.wouldFit !== null) write(`Would fit: ${plan.wouldFit}`, 400, color.ink);
    // The limit as a piece a plan, so that it strikes out no word.
    parts.push(svgLine([x(1), box.y - 2], [x(1), box.y + bar + 2], { stroke: color.ink, strokeWidth: 2 }));
    return parts.join("");
  });
  const body = [axisTitle("numbers in one capture; upright line: the limit", 0, 12), ...rows].join("");
  return svgFigure({
    title: "What the captures take of the limit",
    ...describe(given),
    width,
    height: y + 4,
    body,
  });
}

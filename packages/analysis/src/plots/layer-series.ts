import * as Plot from "@observablehq/plot";
import type { Estimate } from "../results/estimate.ts";
import type { LayerSweep, SweptLayer } from "../results/layer-sweep.ts";
import { classStyle } from "./class-style.ts";
import { color } from "./palette.ts";
import { decimals, estimateText, probeText } from "./plot-format.ts";
import type { MarkerShape } from "./svg-shapes.ts";

/** A curve from elsewhere to lay over the sweep: a direction from training groups, scored on groups kept apart, say. */
export interface ExtraCurve {
  name: string;
  layers: { layer: number; auroc: Estimate }[];
}

export interface LayerSeries {
  name: string;
  stroke: string;
  dash?: string | undefined;
  /** Its mark; controls have none. */
  shape?: MarkerShape;
  points: { layer: number; value: number; low: number; high: number; text: string }[];
}

const score = decimals(3);
export const controlTask = "control task";

function pointsOf(name: string, estimates: { layer: number; estimate: Estimate }[]): LayerSeries["points"] {
  return estimates
    .flatMap(({ layer, estimate }) => {
      const { value, low, high } = estimate;
      if (value === null) return [];
      const text = `${name}, layer ${layer}: ${estimateText(estimate, score)}`;
      return [{ layer, value, low: low ?? value, high: high ?? value, text }];
    })
    .sort((a, b) => a.layer - b.layer);
}

/** Probes in colours and marks of their own, controls as quiet dashed lines beneath them; what is nowhere defined is left out. */
export function sweepSeries(sweep: LayerSweep, extra: ExtraCurve | undefined): LayerSeries[] {
  const names = [...new Set(sweep.layers.flatMap(({ probes }) => probes.map(({ probe }) => probe)))];
  const probes = names.map((probe, index): LayerSeries => {
    // Green is the extra curve's.
    const { fill, shape } = classStyle(index > 1 ? index + 1 : index);
    const own = sweep.layers.flatMap(({ layer, probes }) =>
      probes.filter((entry) => entry.probe === probe).map(({ score: estimate }) => ({ layer, estimate })),
    );
    return {
      name: probeText(probe),
      stroke: fill,
      shape,
      dash: index > 3 ? "7 2" : undefined,
      points: pointsOf(probeText(probe), own),
    };
  });
  const control = (
    name: string,
    key: Exclude<keyof SweptLayer["controls"], "selectivity">,
    dash: string,
  ): LayerSeries => ({
    name,
    stroke: color.control,
    dash,
    points: pointsOf(
      name,
      sweep.layers.map(({ layer, controls }) => ({ layer, estimate: controls[key] })),
    ),
  });
  const overlay = extra?.layers.map(({ layer, auroc }) => ({ layer, estimate: auroc })) ?? [];
  return [
    control("random directions", "randomDirection", "5 3"),
    control(controlTask, "controlTask", "9 3 1.5 3"),
    control("shuffled labels", "shuffledLabels", "1.5 2.5"),
    ...probes,
    ...(extra === undefined
      ? []
      : [
          {
            name: extra.name,
            stroke: color.green,
            shape: "diamond" as const,
            points: pointsOf(extra.name, overlay),
          },
        ]),
  ].filter(({ points }) => points.length > 0);
}

/** Lines with their bands; controls have a dot at each of few layers, probes get their marks elsewhere. */
export function seriesMarks({ stroke, dash, shape, points }: LayerSeries): Plot.Markish[] {
  const quiet = shape === undefined;
  const line = { x: "layer", y: "value", stroke, strokeWidth: quiet ? 1.25 : 2 };
  return [
    Plot.areaY(points, { x: "layer", y1: "low", y2: "high", fill: stroke, fillOpacity: quiet ? 0.1 : 0.16 }),
    // A band of one layer has no area: draw its interval as a line.
    ...(points.length === 1 ? [Plot.ruleX(points, { x: "layer", y1: "low", y2: "high", stroke })] : []),
    Plot.line(points, dash === undefined ? line : { ...line, strokeDasharray: dash }),
    ...(quiet && points.length <= 40
      ? [Plot.dot(points, { x: "layer", y: "value", r: 1.5, fill: stroke, title: "text" })]
      : []),
  ];
}

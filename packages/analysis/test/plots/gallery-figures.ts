import * as plots from "../../src/plots/index.ts";
import type { Figure } from "../../src/plots/svg-figure.ts";
import { sampleReport, sampleSteering, sampleSweep } from "../report/report-sample.ts";
import { sampleCaptureCost } from "./samples/capture-cost.ts";
import { manyCosines, sampleCosineMatrix } from "./samples/cosine-matrix.ts";
import { sampleLabelEfficiency } from "./samples/label-efficiency.ts";
import { deepSweep, numberSweep, undefinedSweep } from "./samples/layer-sweep.ts";
import { sampleLogitLens } from "./samples/logit-lens.ts";
import { samplePositionSweep } from "./samples/position-sweep.ts";
import { manyClouds, oneRow, sampleProjection } from "./samples/projection.ts";
import { oneBin, sampleReliabilityCurve } from "./samples/reliability-curve.ts";
import { emptyRocCurve, sampleRocCurve } from "./samples/roc-curve.ts";
import { manyHistograms, sampleScoreHistogram, sparseHistogram } from "./samples/score-histogram.ts";
import { sampleSteeringSearch } from "./samples/steering-search.ts";
import { deepTokenScores, sampleTokenScores } from "./samples/token-scores.ts";
import { sampleTransferMatrix } from "./samples/transfer-matrix.ts";

export interface GalleryFigure {
  /** Of the file in `gallery/`. */
  name: string;
  sample: { kind: string };
  draw: (result: unknown, options?: { width?: number }) => Figure;
  /** The same plot of other results: few and many of what it shows. */
  others?: { kind: string }[];
}

const entry = <R extends { kind: string }>(
  name: string,
  draw: (result: R, options?: { width?: number }) => Figure,
  sample: R,
  others: R[] = [],
): GalleryFigure => ({ name, sample, draw: (result, options) => draw(result as R, options), others });

/** Every plot with its sample; the test holds each to what all must keep, and to its picture in `gallery/`. */
export const galleryFigures: GalleryFigure[] = [
  entry(
    "layer-curve",
    (sweep: ReturnType<typeof sampleSweep>, options) =>
      plots.plotLayerCurve(sweep, {
        ...options,
        extra: { name: "held-out groups", layers: sampleReport().heldOut?.layers ?? [] },
      }),
    sampleSweep(),
    [deepSweep(), numberSweep(), undefinedSweep()],
  ),
  entry("sweep-controls", plots.plotSweepControls, sampleSweep(), [numberSweep(), undefinedSweep()]),
  entry("label-efficiency", plots.plotLabelEfficiency, sampleLabelEfficiency(), [
    sampleLabelEfficiency([5]),
    sampleLabelEfficiency([1, 10, 11, 12, 13, 14]),
  ]),
  entry("steering-search", plots.plotSteeringSearch, sampleSteeringSearch(), [
    sampleSteeringSearch([0], [1]),
    sampleSteeringSearch(
      Array.from({ length: 40 }, (_, i) => i),
      Array.from({ length: 40 }, (_, i) => i / 4 - 5),
    ),
  ]),
  entry("dose-curve", plots.plotDoseCurve, sampleSteering()),
  entry("transfer-matrix", plots.plotTransferMatrix, sampleTransferMatrix()),
  entry("cosine-matrix", plots.plotCosineMatrix, sampleCosineMatrix(), [manyCosines(2), manyCosines(40)]),
  entry("roc-curve", plots.plotRoc, sampleRocCurve(), [emptyRocCurve(), sampleRocCurve(20_000)]),
  entry("score-histogram", plots.plotScoreHistogram, sampleScoreHistogram(), [
    manyHistograms(),
    sparseHistogram(),
  ]),
  entry("calibration", plots.plotCalibration, sampleReliabilityCurve(), [oneBin()]),
  entry("projection", plots.plotProjection, sampleProjection(), [manyClouds(), oneRow()]),
  entry("capture-cost", plots.plotCaptureCost, sampleCaptureCost()),
  entry("logit-lens", plots.plotLogitLens, sampleLogitLens(), [sampleLogitLens(1), sampleLogitLens(80)]),
  entry("token-heat-map", plots.plotTokenHeatMap, sampleTokenScores(), [
    sampleTokenScores(1, ["one"]),
    deepTokenScores(),
  ]),
  entry("position-sweep", plots.plotPositionSweep, samplePositionSweep(), [
    samplePositionSweep(1, 1),
    samplePositionSweep(80, 30),
  ]),
];

/** `@residua/analysis/plots`: results as figures, and what a page needs that holds them. */
export { plotCalibration } from "./calibration-plot.ts";
export { plotCaptureCost } from "./capture-cost-plot.ts";
export { plotCosineMatrix } from "./cosine-matrix.ts";
export { plotDoseCurve, type DoseCurveOptions } from "./dose-curve.ts";
export { plotLabelEfficiency } from "./label-efficiency-plot.ts";
export { plotLayerCurve, type LayerCurveOptions } from "./layer-curve.ts";
export type { ExtraCurve } from "./layer-series.ts";
export type { PngOptions } from "./figure-png.ts";
export { plotLogitLens, type LogitLensOptions } from "./logit-lens-plot.ts";
export { plotPositionSweep } from "./position-sweep-plot.ts";
export { plotProjection } from "./projection-plot.ts";
export { plotRoc } from "./roc.ts";
export { plotScoreHistogram } from "./score-histogram.ts";
export { plotSteeringSearch } from "./steering-search-plot.ts";
export { plotSweepControls } from "./sweep-controls.ts";
export { plotTokenHeatMap, type TokenHeatMapOptions } from "./token-heat-map.ts";
export { plotTransferMatrix } from "./transfer-matrix.ts";
export { tokenScoresStrip, type TokenScoresStripOptions } from "./token-scores-strip.ts";
export { tokenStrip, type StripToken, type TokenStrip, type TokenStripOptions } from "./token-strip.ts";
export { showTable, type ShownTable, type ShowTableOptions } from "./show-table.ts";
export type { FigureOptions } from "./figure-width.ts";
export type { Figure } from "./svg-figure.ts";
export { savePng } from "./save-png.ts";

// For pages that hold such plots: their styles, and templates whose values are escaped.
export { type Content, html, Markup, preformatted } from "./html-markup.ts";
export { escapeHtml, plainText } from "./html-text.ts";
export { paletteCss } from "./palette.ts";
export { figureCss } from "./svg-figure.ts";
export { tokenStripCss } from "./token-strip.ts";

export { plotCosineMatrix } from "./cosine-matrix.ts";
export { plotDoseCurve, type DoseCurveOptions } from "./dose-curve.ts";
export { plotLayerCurve, type ExtraCurve, type LayerCurveOptions } from "./layer-curve.ts";
export type { PngOptions } from "./figure-png.ts";
export { savePng } from "./save-png.ts";
export type { Figure } from "./svg-figure.ts";
export { plotTransferMatrix } from "./transfer-matrix.ts";
export type { FigureOptions } from "./figure-width.ts";
export { tokenStrip, type StripToken, type TokenStrip, type TokenStripOptions } from "./token-strip.ts";

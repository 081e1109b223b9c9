export { plotDoseCurve, type DoseCurveOptions } from "./dose-curve.ts";
export { plotLayerCurve, type ExtraCurve, type LayerCurveOptions } from "./layer-curve.ts";
export type { Figure } from "./svg-figure.ts";
export { showTable, type ShownTable, type ShowTableOptions } from "./show-table.ts";
export { tokenStrip, type StripToken, type TokenStrip, type TokenStripOptions } from "./token-strip.ts";

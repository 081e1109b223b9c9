export { useBackend, type Backend, type BackendName } from "./use-backend.ts";

export type { Example } from "./example.ts";
export { collect } from "./collect.ts";
export type { CollectOptions, CollectProgress } from "./collect-options.ts";
export { freeRunName } from "./free-run-name.ts";
export { openDataset, type ActivationDataset, type DatasetRow } from "./dataset-open.ts";
export type { DatasetManifest } from "./dataset-manifest.ts";
export { DatasetError } from "./dataset-error.ts";
export type { Selection } from "./select-rows.ts";
export { writeFileAtomic } from "./file-atomic.ts";

export { auroc, type Auroc } from "./auroc.ts";
export { clusterBootstrap } from "./bootstrap.ts";
export { groupFolds } from "./group-folds.ts";
export { interval } from "./interval.ts";
export { createRandom, randomName, type Random } from "./random.ts";
export { shareOfGroups } from "./share-of-groups.ts";

export { differenceOfMeans } from "./difference-of-means.ts";
export { logistic } from "./logistic.ts";
export type { Probe, ProbeColumn, ProbeFit, TrainingRows } from "./probe.ts";
export { ProbeError, type ProbeErrorCode } from "./probe-error.ts";
export { fitProbe, scoreRows } from "./probe-fit.ts";
export { probeMatrix, type ProbeMatrix } from "./probe-matrix.ts";
export { sweepLayers, type SweepOptions } from "./sweep-layers.ts";
export type { LabelValue, SweepDataset } from "./sweep-rows.ts";

export { directionFromJSON, directionNorm, directionToJSON, type Direction } from "./direction.ts";
export { directionAuroc, projectRows, type DirectionAurocOptions } from "./direction-auroc.ts";
export { meanDifference } from "./mean-difference.ts";
export { evaluateSteering } from "./evaluate-steering.ts";
export type { SteeringOptions, SteeringPrompt } from "./steering-options.ts";
export { perplexity, textLogProbability } from "./perplexity.ts";

export {
  directionSchema,
  estimateSchema,
  layerSweepSchema,
  resultSchemaVersion,
  steeringEvaluationSchema,
  type DirectionJSON,
  type Estimate,
  type LayerSweep,
  type ProbeName,
  type SteeredScale,
  type SteeredTwins,
  type SteeringEvaluation,
  type SweptLayer,
} from "./result-schema.ts";

export { plotDoseCurve, type DoseCurveOptions } from "./dose-curve.ts";
export { plotLayerCurve, type ExtraCurve, type LayerCurveOptions } from "./layer-curve.ts";
export type { Figure } from "./svg-figure.ts";
export { tokenStrip, type StripToken, type TokenStrip, type TokenStripOptions } from "./token-strip.ts";
export { renderReport, writeReport } from "./report.ts";
export {
  reportInputSchema,
  reportSchemaVersion,
  type ReportAnswers,
  type ReportInput,
  type ReportLimits,
  type ReportStrip,
} from "./report-schema.ts";

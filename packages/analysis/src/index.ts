export { useBackend, type BackendOptions } from "./backend/use-backend.ts";
export type { Backend, BackendName, BackendReason } from "./backend/backend-name.ts";
export { examineBackends } from "./backend/numeric-suite/examine-backends.ts";
export type { NumericResult } from "./backend/numeric-suite/numeric-check.ts";
export type { BackendExam } from "./backend/numeric-suite/suite-task.ts";

export {
  assistantTokens,
  chatPositions,
  type ChatSelection,
  endOfTurn,
  lastUserToken,
  resolveChatSelection,
  roleTokens,
  type RoleTokensOptions,
  tokenRoles,
} from "./examples/chat-selection.ts";
export { type ContrastPair, contrastPairs, type ExamplePrompt } from "./examples/contrast-pairs.ts";
export {
  type ExampleTemplate,
  fromTemplates,
  type TemplateOptions,
  type TemplateValue,
} from "./examples/from-templates.ts";
export { loadExamples } from "./examples/load-examples.ts";
export type {
  ColumnNames,
  ExampleFormat,
  ExampleMapping,
  LoadExamplesOptions,
} from "./examples/load-options.ts";
export type { ExampleValue } from "./examples/example-columns.ts";
export type { Example } from "./examples/example.ts";
export { collect, planCollection } from "./collect/collect.ts";
export type { CollectFailure } from "./collect/collect-failure.ts";
export type { CollectionPlan, PlanProblem } from "./collect/collection-plan.ts";
export type { CollectLens } from "./collect/collect-lens.ts";
export type { ChatOptions, CollectOptions } from "./collect/collect-options.ts";
export type { CollectProgress } from "./collect/collect-progress.ts";
export { collectRollouts } from "./collect/rollouts/collect-rollouts.ts";
export type { Grade, Rollout } from "./collect/rollouts/rollout.ts";
export type { RolloutOptions, RolloutProgress } from "./collect/rollouts/rollout-options.ts";
export type { RolloutLens } from "./collect/rollouts/sample-rollout.ts";
export { freeRunName } from "./files/free-run-name.ts";
export { openDataset, type ActivationDataset } from "./dataset/dataset-open.ts";
export type { DatasetRow } from "./dataset/dataset-rows.ts";
export { layerTensor } from "./dataset/layer-tensor.ts";
export type { BlockOptions, LayerBlock, RowRequest, RowSource } from "./dataset/row-source.ts";
export { describe, type DescribeOptions } from "./dataset/health/describe.ts";
export {
  datasetDescriptionSchema,
  type DatasetDescription,
  type LabelHealth,
  type LayerHealth,
} from "./dataset/health/description-schema.ts";
export { lint, type LintOptions } from "./dataset/health/lint.ts";
export {
  datasetLintSchema,
  type DatasetLint,
  type LintCode,
  type LintFinding,
} from "./dataset/health/lint-schema.ts";
export type { JoinOptions } from "./dataset/views/join-rows.ts";
export type { JoinRow } from "./dataset/views/join-table.ts";
export { mergeDatasets, type MergeOptions } from "./dataset/views/merge-datasets.ts";
export type { ColumnConditions, RowValues } from "./dataset/views/row-condition.ts";
export type { SelectOptions } from "./dataset/views/select-columns.ts";
export {
  viewOf,
  type AppendOptions,
  type DatasetView,
  type PendingView,
  type ViewMethods,
} from "./dataset/views/view-methods.ts";
export type { ViewLineage } from "./dataset/views/view-parts.ts";
export { writeDataset, type RowStream, type WriteDatasetOptions } from "./dataset/write-dataset.ts";
export type { ColumnField, ColumnType, ColumnValue } from "./shards/column-field.ts";
export type { RowBlock } from "./shards/row-block.ts";
export type { RowDtype, RowNumbers } from "./shards/row-dtype.ts";
export type { DatasetManifest } from "./dataset/dataset-manifest.ts";
export { DatasetError } from "./dataset/dataset-error.ts";
export { datasetModel } from "./dataset/dataset-model.ts";
export type { Selection } from "./collect/select-rows.ts";
export { writeFileAtomic } from "./files/file-atomic.ts";

export { readArrow } from "./convert/arrow-table.ts";
export type { ColumnMap } from "./convert/column-map.ts";
export {
  exportRows,
  type ExportRowsOptions,
  importDataset,
  type ImportDatasetOptions,
  importRows,
  type ImportRowsOptions,
  type RowFormat,
  rowFormats,
} from "./convert/convert-rows.ts";
export { readParquet } from "./convert/read-parquet.ts";
export { readNpyRows, readSafetensorsRows, type TensorOptions } from "./convert/read-tensors.ts";
export { rowsHash } from "./convert/rows-hash.ts";
export type { TableNumbers } from "./convert/table-batches.ts";
export type { ImportedSource, ImportOptions } from "./convert/table-source.ts";
export { type ArrowOptions, writeArrow } from "./convert/write-arrow.ts";
export { type ParquetOptions, writeParquet } from "./convert/write-parquet.ts";
export { type NpyOptions, writeNpyFolder, writeSafetensorsRows } from "./convert/write-tensors.ts";
export { type ParquetCompression, parquetCompressions } from "./files/parquet/parquet-chunks.ts";

export { auroc, type Auroc, aurocMetric } from "./statistics/metrics/auroc.ts";
export {
  estimateMetric,
  type EstimateOptions,
  type GroupedRows,
} from "./statistics/metrics/estimate-metric.ts";
export { macroAurocMetric } from "./statistics/metrics/macro-auroc.ts";
export type { Metric, MetricRows, PreparedMetric } from "./statistics/metrics/metric.ts";
export { rSquaredMetric } from "./statistics/metrics/number-metrics.ts";
export { brierMetric, logLossMetric } from "./statistics/metrics/probability-metrics.ts";
export { spearmanMetric } from "./statistics/metrics/spearman.ts";
export {
  accuracyMetric,
  balancedAccuracyMetric,
  falsePositiveRateMetric,
  recallMetric,
  type Threshold,
} from "./statistics/metrics/threshold-metrics.ts";
export { shuffleLabels } from "./statistics/permutation/shuffle-labels.ts";
export {
  applyCalibration,
  calibrationFromJSON,
  fitCalibration,
  loadCalibration,
  saveCalibration,
} from "./statistics/calibration/calibration.ts";
export { reliabilityCurve } from "./statistics/calibration/reliability-curve.ts";
export {
  type BootstrapOptions,
  clusterBootstrap,
  type GroupStatistic,
} from "./statistics/intervals/cluster-bootstrap.ts";
export { delongAuroc, delongDifference } from "./statistics/intervals/delong.ts";
export { interval } from "./statistics/intervals/interval.ts";
export { shareInterval } from "./statistics/intervals/share-interval.ts";
export {
  smallestDetectableDifference,
  smallestDetectableFromNull,
} from "./statistics/intervals/smallest-detectable.ts";
export { calibrationErrorMetric } from "./statistics/metrics/calibration-error.ts";
export { metricDifference } from "./statistics/metrics/metric-difference.ts";
export type { BinOptions } from "./statistics/metrics/probability-bins.ts";
export { maximumStatistic, type MaximumStatistic } from "./statistics/permutation/maximum-statistic.ts";
export { permutationP, type PermutationP } from "./statistics/permutation/permutation-p.ts";
export { chooseThreshold, thresholdAtFpr } from "./statistics/thresholds/choose-threshold.ts";
export { recallAtFpr } from "./statistics/thresholds/recall-at-fpr.ts";
export { groupFolds } from "./statistics/group-folds.ts";
export { rocCurve, type RocOptions } from "./statistics/roc/roc-curve.ts";
export { rocRecallMetric } from "./statistics/roc/roc-recall.ts";
export { scoreHistogram, type HistogramOptions, type HistogramRows } from "./statistics/score-histogram.ts";
export { createRandom, randomName, type Random } from "./statistics/random.ts";

export { differenceOfMeans } from "./probes/difference-of-means.ts";
export { fitLayers, type LayerFits } from "./probes/fit-layers/fit-layers.ts";
export type { FitLayersOptions } from "./probes/fit-layers/fit-layers-options.ts";
export { logistic } from "./probes/logistic/logistic.ts";
export type { LogisticOptions } from "./probes/logistic/logistic-options.ts";
export type { Probe, ProbeColumn, ProbeFit, TrainingRows } from "./probes/probe.ts";
export { ProbeError, type ProbeErrorCode } from "./probes/probe-error.ts";
export { fitProbe, scoreRows } from "./probes/probe-fit.ts";
export { probeMatrix, type ProbeMatrix } from "./probes/probe-matrix.ts";
export { elasticNet } from "./probes/elastic/elastic-net.ts";
export { eraserFromJSON, loadEraser, saveEraser, type Eraser } from "./probes/erasure/eraser.ts";
export { inlp, type InlpOptions } from "./probes/erasure/inlp.ts";
export { leace, type ErasureDataset, type LeaceOptions } from "./probes/erasure/leace.ts";
export { leaceFitter, type LeaceFitter, type LeaceSettings } from "./probes/erasure/leace-fitter.ts";
export { multinomial } from "./probes/multinomial/multinomial.ts";
export { attention, type AttentionOptions } from "./probes/nonlinear/attention.ts";
export { mlp, type MlpOptions } from "./probes/nonlinear/mlp.ts";
export { linearSvm } from "./probes/svm/linear-svm.ts";
export { ccs, type CcsOptions, type CcsResult } from "./probes/unsupervised/ccs.ts";
export { kSparse, type KSparseOptions } from "./probes/linear/k-sparse.ts";
export { lda, type LdaOptions, mahalanobis } from "./probes/linear/lda.ts";
export { linearRegression } from "./probes/linear/linear-regression.ts";
export {
  mahalanobisDistance,
  type MahalanobisDistanceOptions,
} from "./probes/linear/mahalanobis-distance.ts";
export { massMeanIid, type MassMeanOptions } from "./probes/linear/mass-mean-iid.ts";
export { nearestCentroid } from "./probes/linear/nearest-centroid.ts";
export { pca, type PcaOptions } from "./probes/linear/pca.ts";
export { pcaOfDifferences } from "./probes/linear/pca-of-differences.ts";
export { ridge, ridgeClassifier, type RidgeOptions } from "./probes/linear/ridge.ts";
export type { Shrinkage } from "./probes/linear/shrunk-covariance.ts";
export { projectLayer } from "./projection/project-layer.ts";
export type { ProjectOptions } from "./projection/project-options.ts";
export { labelEfficiency, type LabelEfficiencyOptions } from "./sweep/label-efficiency.ts";
export type { SweepPositionsOptions } from "./sweep/positions/position-options.ts";
export { sweepPositions } from "./sweep/positions/sweep-positions.ts";
export { sweepLayers } from "./sweep/sweep-layers.ts";
export type { SweepOptions } from "./sweep/sweep-options.ts";
export {
  thresholdAtFalsePositiveRate,
  type ThresholdOptions,
} from "./probes/scoring/false-positive-threshold.ts";
export { poolScores } from "./probes/scoring/pool-scores.ts";
export {
  scoreCapture,
  type CaptureScores,
  type ScoreCaptureOptions,
  type ScoredCapture,
} from "./probes/scoring/score-capture.ts";
export {
  tokenScores,
  type DirectionScorer,
  type ProbeWithThreshold,
  type TokenScorer,
  type TokenScoresOptions,
} from "./probes/scoring/token-scores.ts";
export { scoreCaptures, type IndexedScores } from "./probes/scoring/score-captures.ts";
export {
  scoreDataset,
  type DatasetScores,
  type ScoreDatasetOptions,
} from "./probes/scoring/score-dataset.ts";
export { loadProbe, saveProbe } from "./probes/trained/probe-file.ts";
export type { ProbeDirectionOptions } from "./probes/trained/probe-direction.ts";
export { probeFromJSON } from "./probes/trained/probe-json.ts";
export type { ProbeTrainer, TrainedParts, TrainingData } from "./probes/trained/probe-trainer.ts";
export { trainProbe, type TrainingDataset } from "./probes/trained/train-probe.ts";
export type { TrainedProbe } from "./probes/trained/trained-probe.ts";
export type {
  RawTrainingRows,
  TrainProbeOptions,
  TrainRowsOptions,
} from "./probes/trained/training-options.ts";
export type { RowChoice } from "./probes/row-choice.ts";
export type { LabelValue, SweepDataset } from "./probes/sweep-rows.ts";
export { cosineMatrix, type NamedDirection } from "./compare/cosine-matrix.ts";
export { directionStability, type DirectionStabilityOptions } from "./compare/direction-stability.ts";
export { transferMatrix, type TransferOptions } from "./compare/transfer-matrix.ts";

export { directionFromJSON, directionNorm, directionToJSON, type Direction } from "./probes/direction.ts";
export { directionAuroc, projectRows, type DirectionAurocOptions } from "./probes/direction-auroc.ts";
export { meanDifference } from "./probes/mean-difference.ts";
export { evaluateSteering } from "./steering/evaluate-steering.ts";
export {
  positionDirections,
  type PositionDirectionsOptions,
} from "./steering/recipes/position-directions.ts";
export { selectRefusalDirection } from "./steering/recipes/select-refusal-direction.ts";
export type {
  AblationLens,
  PositionDirection,
  SelectionOptions,
  SelectionPrompt,
} from "./steering/recipes/selection-options.ts";
export { searchSteering } from "./steering/search/search-steering.ts";
export type { SteeringSearchOptions } from "./steering/search/search-options.ts";
export type { SteeringOptions } from "./steering/steering-options.ts";
export type { SteeringCommon, SteeringLens, SteeringPrompt } from "./steering/steering-common.ts";
export type { SteeringDirection } from "./steering/steering-rows.ts";
export type { DamageLimits } from "./steering/damage/damage-limits.ts";
export { isLoop, loopScore, type LoopLimits, type LoopScore } from "./steering/damage/loop-score.ts";
export { perplexity, textLogProbability, type TextLogProbability } from "./steering/neutral/perplexity.ts";
export { functionScorer, type TextScore } from "./steering/scorers/function-scorer.ts";
export { judgeScorer, type JudgeOptions } from "./steering/scorers/judge-scorer.ts";
export { patternScorer } from "./steering/scorers/pattern-scorer.ts";
export type { ScoredText, SteeringScorer } from "./steering/scorers/steering-scorer.ts";
export type { ShuffledTwins } from "./steering/twins/shuffled-twins.ts";

export { captureCost, type CaptureCostOptions, type CostPlan } from "./captures/capture-cost.ts";
export { logitLensTable } from "./captures/logit-lens-table.ts";
export { captureCostSchema, type CaptureCost } from "./results/capture-cost.ts";
export { logitLensSchema, type LogitLensTable } from "./results/logit-lens.ts";
export { positionSweepSchema, type PositionSweep } from "./results/position-sweep.ts";
export { projectionSchema, type Projection } from "./results/projection.ts";
export { rocCurveSchema, type RocCurve } from "./results/roc-curve.ts";
export { scoreHistogramSchema, type ScoreHistogram } from "./results/score-histogram.ts";
export { tokenScoresSchema, type TokenScores } from "./results/token-scores.ts";
export { ccsTrainingSchema, type CcsTraining } from "./results/ccs-training.ts";
export { eraserSchema, type EraserJSON } from "./results/eraser.ts";
export { inlpSchema, type Inlp } from "./results/inlp.ts";
export { type Calibration, calibrationSchema } from "./results/calibration.ts";
export {
  type DelongDifference,
  delongDifferenceSchema,
  type DelongEstimate,
  delongSchema,
} from "./results/delong.ts";
export { type MetricDifference, metricDifferenceSchema } from "./results/metric-difference.ts";
export { type RecallAtFpr, recallAtFprSchema } from "./results/recall-at-fpr.ts";
export { type ReliabilityCurve, reliabilityCurveSchema } from "./results/reliability-curve.ts";
export { directionSchema, type DirectionJSON } from "./results/direction-schema.ts";
export { estimateSchema, type Estimate } from "./results/estimate.ts";
export { cosineMatrixSchema, type CosineMatrix } from "./results/cosine-matrix.ts";
export { directionStabilitySchema, type DirectionStability } from "./results/direction-stability.ts";
export { labelEfficiencySchema, type LabelEfficiency } from "./results/label-efficiency.ts";
export {
  type HeldOutMetrics,
  type LayerSweep,
  layerSweepSchema,
  layerSweepVersion,
  type SweepControls,
  type SweepPermutation,
  type SweepRival,
  type SweepVerdict,
  type SweptLayer,
  type TokenFilterScores,
} from "./results/layer-sweep.ts";
export type { AnyResult, ResultKind } from "./results/result-kinds.ts";
export { toTable } from "./results/to-table.ts";
export { type TransferCell, type TransferMatrix, transferMatrixSchema } from "./results/transfer-matrix.ts";
export type { ProbeName } from "./results/probe-name.ts";
export type {
  DistanceScorerData,
  LinearScorerData,
  PackedMatrix,
  ScorerData,
} from "./results/probe-scorer.ts";
export type { ScorePool } from "./results/score-pool.ts";
export { resultSchemaVersion } from "./results/result-version.ts";
export {
  steeringEvaluationSchema,
  type SteeredScale,
  type SteeredTwins,
  type SteeringEvaluation,
} from "./results/steering-evaluation.ts";
export {
  directionSelectionSchema,
  type DirectionSelection,
  type SelectionCandidate,
} from "./results/direction-selection.ts";
export { steeringSearchSchema, type SearchedCell, type SteeringSearch } from "./results/steering-search.ts";
export {
  trainedProbeSchema,
  type ProbeBias,
  type ProbeTask,
  type StoredThreshold,
  type TrainedProbeJSON,
} from "./results/trained-probe.ts";
export type {
  NeutralShift,
  ScorerResult,
  SteeredLoops,
  TargetShift,
  TwinComparison,
} from "./results/steering-measures.ts";

export { plotDoseCurve, type DoseCurveOptions } from "./plots/dose-curve.ts";
export { plotLayerCurve, type LayerCurveOptions } from "./plots/layer-curve.ts";
export type { ExtraCurve } from "./plots/layer-series.ts";
export type { PngOptions } from "./plots/figure-png.ts";
export { savePng } from "./plots/save-png.ts";
export type { Figure } from "./plots/svg-figure.ts";
export { tokenStrip, type StripToken, type TokenStrip, type TokenStripOptions } from "./plots/token-strip.ts";
export { renderReport, writeReport, writeRunReport } from "./report/report.ts";
export { extractReport, type ExtractedReport } from "./report/report-data.ts";
export { renderRun } from "./report/run-report.ts";
export { renderComparison } from "./report/comparison-page.ts";
export {
  compareRuns,
  type ComparedNumber,
  type ComparedPair,
  type RunComparison,
} from "./runs/compare/compare-runs.ts";
export {
  provenanceName,
  provenanceSchema,
  type Provenance,
  type ProvenanceInput,
} from "./runs/provenance.ts";
export { readRun, type Run } from "./runs/read-run.ts";
export type { DocumentOf, RunContent, RunDocument, RunFile, SkippedFile } from "./runs/run-document.ts";
export { RunError, type RunErrorCode } from "./runs/run-error.ts";
export type { FingerprintDocument, SelfTestDocument } from "./runs/self-test-document.ts";
export {
  reportInputSchema,
  reportSchemaVersion,
  type ReportAnswers,
  type ReportInput,
  type ReportLimits,
  type ReportStrip,
} from "./report/report-schema.ts";

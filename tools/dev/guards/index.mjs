import { analysisProbesGuards } from "./analysis-probes.mjs";
import { analysisPlotsGuards } from "./analysis-plots.mjs";
import { analysisNativeGuards } from "./analysis-native.mjs";
import { analysisSteeringGuards } from "./analysis-steering.mjs";
import { analysisViewsGuards } from "./analysis-views.mjs";
import { analysisCoreGuards } from "./analysis-core.mjs";
import { analysisDevicesGuards } from "./analysis-devices.mjs";
import { analysisConvertGuards } from "./analysis-convert.mjs";
import { analysisCollectGuards } from "./analysis-collect.mjs";
import { analysisGuards } from "./analysis.mjs";
import { analysisIterativeGuards } from "./analysis-iterative.mjs";
import { analysisLocalGuards } from "./analysis-local.mjs";
import { analysisFitsGuards } from "./analysis-fits.mjs";
import { analysisStatisticsGuards } from "./analysis-statistics.mjs";
import { analysisExamplesGuards } from "./analysis-examples.mjs";
import { analysisResultsGuards } from "./analysis-results.mjs";
import { analysisReportGuards } from "./analysis-report.mjs";
import { analysisSweepGuards } from "./analysis-sweep.mjs";
import { clientGuards } from "./client.mjs";
import { explorerGuards } from "./explorer.mjs";
import { lensCodecGuards } from "./lens-codec.mjs";
import { lensFanOutGuards } from "./lens-fan-out.mjs";
import { lensFormatsGuards } from "./lens-formats.mjs";
import { lensKnownBugGuards } from "./lens-known-bugs.mjs";
import { lensPlanGuards } from "./lens-plan.mjs";
import { lensSelfTestGuards } from "./lens-self-test.mjs";
import { lensSteerGuards } from "./lens-steer.mjs";
import { lensVerifyGuards } from "./lens-verify.mjs";
import { lensGuards } from "./lens.mjs";
import { pipelineGuards } from "./pipeline.mjs";
import { serverGuards } from "./server.mjs";

/**
 * The guards that `npm run mutants` takes out, one at a time: where each stands, what is put in its place, and the test
 * that must then fail. A guard whose removal no test notices does not guard.
 */
export const guards = [
  ...clientGuards,
  ...lensGuards,
  ...lensPlanGuards,
  ...lensCodecGuards,
  ...lensVerifyGuards,
  ...lensSteerGuards,
  ...lensFanOutGuards,
  ...lensSelfTestGuards,
  ...lensFormatsGuards,
  ...lensKnownBugGuards,
  ...analysisGuards,
  ...analysisSteeringGuards,
  ...analysisConvertGuards,
  ...analysisCoreGuards,
  ...analysisCollectGuards,
  ...analysisIterativeGuards,
  ...analysisLocalGuards,
  ...analysisNativeGuards,
  ...analysisPlotsGuards,
  ...analysisProbesGuards,
  ...analysisViewsGuards,
  ...analysisDevicesGuards,
  ...analysisExamplesGuards,
  ...analysisSweepGuards,
  ...analysisResultsGuards,
  ...analysisReportGuards,
  ...analysisFitsGuards,
  ...analysisStatisticsGuards,
  ...serverGuards,
  ...explorerGuards,
  ...pipelineGuards,
];

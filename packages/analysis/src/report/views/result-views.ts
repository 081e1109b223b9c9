import type { AnyResult } from "../../results/result-kinds.ts";
import type { ResultView } from "./result-view.ts";
import {
  viewReliabilityCurve,
  viewDirectionStability,
  viewLabelEfficiency,
  viewRocCurve,
} from "./view-curves.ts";
import { viewCalibration, viewCcsTraining, viewDirection, viewInlp } from "./view-directions.ts";
import { viewLayerSweep } from "./view-layer-sweep.ts";
import { viewCosineMatrix, viewTransferMatrix } from "./view-matrices.ts";
import { viewDirectionSelection, viewSteeringSearch } from "./view-search.ts";
import { viewCaptureCost, viewProjection, viewScoreHistogram } from "./view-spread.ts";
import { viewSteeringEvaluation } from "./view-steering.ts";
import { viewLogitLens, viewPositionSweep, viewTokenScores } from "./view-tokens.ts";

/** What a report says of any result. */
export function viewOf(result: AnyResult): ResultView {
  switch (result.kind) {
    case "layer-sweep":
      return viewLayerSweep(result);
    case "transfer-matrix":
      return viewTransferMatrix(result);
    case "cosine-matrix":
      return viewCosineMatrix(result);
    case "direction-stability":
      return viewDirectionStability(result);
    case "label-efficiency":
      return viewLabelEfficiency(result);
    case "calibration":
      return viewCalibration(result);
    case "reliability-curve":
      return viewReliabilityCurve(result);
    case "ccs-training":
      return viewCcsTraining(result);
    case "inlp":
      return viewInlp(result);
    case "direction-selection":
      return viewDirectionSelection(result);
    case "steering-search":
      return viewSteeringSearch(result);
    case "direction":
      return viewDirection(result);
    case "token-scores":
      return viewTokenScores(result);
    case "position-sweep":
      return viewPositionSweep(result);
    case "projection":
      return viewProjection(result);
    case "roc-curve":
      return viewRocCurve(result);
    case "score-histogram":
      return viewScoreHistogram(result);
    case "capture-cost":
      return viewCaptureCost(result);
    case "logit-lens":
      return viewLogitLens(result);
    case "steering-evaluation":
      return viewSteeringEvaluation(result);
  }
}

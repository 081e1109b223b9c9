import type { z } from "zod";
import { calibrationSchema } from "./calibration.ts";
import { captureCostSchema } from "./capture-cost.ts";
import { ccsTrainingSchema } from "./ccs-training.ts";
import { cosineMatrixSchema } from "./cosine-matrix.ts";
import { directionSelectionSchema } from "./direction-selection.ts";
import { directionSchema } from "./direction-schema.ts";
import { directionStabilitySchema } from "./direction-stability.ts";
import { inlpSchema } from "./inlp.ts";
import { labelEfficiencySchema } from "./label-efficiency.ts";
import { layerSweepSchema } from "./layer-sweep.ts";
import { logitLensSchema } from "./logit-lens.ts";
import { positionSweepSchema } from "./position-sweep.ts";
import { projectionSchema } from "./projection.ts";
import { reliabilityCurveSchema } from "./reliability-curve.ts";
import { rocCurveSchema } from "./roc-curve.ts";
import { scoreHistogramSchema } from "./score-histogram.ts";
import { steeringEvaluationSchema } from "./steering-evaluation.ts";
import { steeringSearchSchema } from "./steering-search.ts";
import { tokenScoresSchema } from "./token-scores.ts";
import { transferMatrixSchema } from "./transfer-matrix.ts";

/** How a kind of result becomes a table. */
export interface ResultForm {
  readonly schema: z.ZodType;
  /** Fields that say of what the numbers beside and below them are. */
  readonly keys: readonly string[];
  /** Lists whose entries stand in the order of another list's, and that one's field that tells them. */
  readonly along?: Readonly<Record<string, readonly [list: string, field: string]>>;
}

/** Every kind of result that is a list of numbers, with its schema and the fields that say of what they are. Trained probes and erasers are no tables: they are saved as they are. */
export const resultKinds = {
  "layer-sweep": { schema: layerSweepSchema, keys: ["layer", "probe", "C", "rate"] },
  "transfer-matrix": { schema: transferMatrixSchema, keys: ["train", "test", "diagonal", "C"] },
  "cosine-matrix": { schema: cosineMatrixSchema, keys: ["first", "second", "name", "layer"] },
  "direction-stability": { schema: directionStabilitySchema, keys: [] },
  "label-efficiency": { schema: labelEfficiencySchema, keys: [] },
  calibration: { schema: calibrationSchema, keys: [] },
  "reliability-curve": { schema: reliabilityCurveSchema, keys: [] },
  "ccs-training": { schema: ccsTrainingSchema, keys: [] },
  inlp: { schema: inlpSchema, keys: ["rank"] },
  "direction-selection": { schema: directionSelectionSchema, keys: ["layer", "position"] },
  "steering-search": { schema: steeringSearchSchema, keys: ["layer", "scale"] },
  direction: { schema: directionSchema, keys: [] },
  "token-scores": {
    schema: tokenScoresSchema,
    keys: ["layer", "position"],
    along: { "layers.scores": ["tokens", "position"] },
  },
  "position-sweep": { schema: positionSweepSchema, keys: ["layer", "position"] },
  projection: { schema: projectionSchema, keys: ["name", "label", "group", "example"] },
  "roc-curve": { schema: rocCurveSchema, keys: ["falsePositiveRate", "rate"] },
  "score-histogram": { schema: scoreHistogramSchema, keys: ["label"] },
  "capture-cost": { schema: captureCostSchema, keys: ["name"] },
  "logit-lens": {
    schema: logitLensSchema,
    keys: ["layer", "position", "id", "text"],
    along: { "layers.readings": ["tokens", "position"] },
  },
  "steering-evaluation": { schema: steeringEvaluationSchema, keys: ["scale", "layer", "name", "kind"] },
} as const satisfies Readonly<Record<string, ResultForm>>;

export type ResultKind = keyof typeof resultKinds;

/** Any result of this package, by its `kind`. */
export type AnyResult = z.infer<(typeof resultKinds)[ResultKind]["schema"]>;

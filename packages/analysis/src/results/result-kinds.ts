import type { z } from "zod";
import { calibrationSchema } from "./calibration.ts";
import { cosineMatrixSchema } from "./cosine-matrix.ts";
import { directionSchema } from "./direction-schema.ts";
import { directionStabilitySchema } from "./direction-stability.ts";
import { labelEfficiencySchema } from "./label-efficiency.ts";
import { layerSweepSchema } from "./layer-sweep.ts";
import { steeringEvaluationSchema } from "./steering-evaluation.ts";
import { transferMatrixSchema } from "./transfer-matrix.ts";

/** Every kind of result, with its schema and the fields that say of what its numbers are. */
export const resultKinds = {
  "layer-sweep": { schema: layerSweepSchema, keys: ["layer", "probe", "C", "rate"] },
  "transfer-matrix": { schema: transferMatrixSchema, keys: ["train", "test", "diagonal", "C"] },
  "cosine-matrix": { schema: cosineMatrixSchema, keys: ["first", "second", "name", "layer"] },
  "direction-stability": { schema: directionStabilitySchema, keys: [] },
  "label-efficiency": { schema: labelEfficiencySchema, keys: [] },
  calibration: { schema: calibrationSchema, keys: [] },
  direction: { schema: directionSchema, keys: [] },
  "steering-evaluation": { schema: steeringEvaluationSchema, keys: ["scale", "layer", "name", "kind"] },
} as const;

export type ResultKind = keyof typeof resultKinds;

/** Any result of this package, by its `kind`. */
export type AnyResult = z.infer<(typeof resultKinds)[ResultKind]["schema"]>;

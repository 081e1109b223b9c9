import * as z from "zod";

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

/** How far a model is with its start. */
const boot = z.looseObject({
  /** `waiting_for_gpu`, `container_started`, `weights_loading`, `weights_loaded`, `engine_ready`, `serving`, `failed`, … */
  stage: z.string(),
  stage_label: maybe(z.string()),
  /** Seconds in this stage. */
  stage_age_s: maybe(z.number()),
});

export const modelStatusSchema = z.looseObject({
  id: z.string(),
  object: maybe(z.string()),
  /** Whether it answers without a start first. */
  warm: z.boolean(),
  /** Null or missing when it is not starting. */
  boot: maybe(boot),
  /** The engine for capture and steering, where that is another one. */
  activation_boot: maybe(boot),
});

/** The answer of GET /models/{id}/status (hosted API). */
export type ModelStatus = z.output<typeof modelStatusSchema>;

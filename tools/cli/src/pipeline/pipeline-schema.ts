import { z } from "zod";
import { probeChoices } from "../probe-choices.ts";
import { gateSchema } from "./gate.ts";

const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, "a name of letters, digits, - _ and . that begins with a letter or digit");
const path = z.string().min(1);
const seed = z
  .int()
  .min(0)
  .max(2 ** 31)
  .default(0);
const folds = z.int().min(3).max(50).default(5);
const gates = z.array(gateSchema).default([]);
/** A layer by its number, or the name of an earlier sweep: the layer that it chose. */
const layer = z.union([z.int().min(-1), name], "a layer's number, or the name of an earlier sweep");

/** What each kind of step takes. Paths are relative to the pipeline's file; datasets are earlier steps by name, or folders. */
export const stepSchemas = {
  collect: z.strictObject({
    collect: name,
    examples: path,
    layers: z
      .union([z.literal("all"), z.array(z.int().min(0)).min(1)], 'layer numbers, such as [0, 2, 4], or "all"')
      .default("all"),
    select: z.enum(["last", "first", "all"]).default("last"),
  }),
  sweep: z.strictObject({
    sweep: name,
    dataset: path,
    label: z.string().min(1),
    split: z.string().min(1).optional(),
    ...{ folds, seed, gates },
  }),
  transfer: z.strictObject({
    transfer: name,
    datasets: z.array(path).min(2, "at least two datasets"),
    label: z.string().min(1),
    layer,
    probe: z.enum(probeChoices).default("logistic"),
    shared: z.enum(["refuse", "leave-out"]).default("refuse"),
    ...{ folds, seed, gates },
  }),
  steer: z.strictObject({
    steer: name,
    dataset: path,
    label: z.string().min(1),
    layer,
    prompts: path,
    choices: z.tuple([z.string().min(1), z.string().min(1)], "two answers, the one for true first"),
    scales: z.array(z.number()).min(1).default([-2, -1, 0, 1, 2]),
    twins: z.int().min(1).max(1000).default(20),
    split: z.string().min(1).optional(),
    neutral: path.optional(),
    ...{ seed, gates },
  }),
  report: z.strictObject({
    report: name.refine((given) => given.endsWith(".html"), "a name that ends in .html"),
  }),
};

export type StepKind = keyof typeof stepSchemas;
export const stepKinds = Object.keys(stepSchemas) as StepKind[];
export type StepOptions<K extends StepKind> = z.output<(typeof stepSchemas)[K]>;

/** A step as it was read. */
export type PipelineStep = {
  [K in StepKind]: { kind: K; name: string; options: StepOptions<K> };
}[StepKind];

/** What stands beside the steps. */
export const headSchema = z.strictObject({
  out: path,
  server: z
    .strictObject({
      baseUrl: z.string().min(1).optional(),
      model: z.string().min(1).optional(),
      profile: z.enum(["acs", "vllm"]).optional(),
    })
    .default({}),
  steps: z.array(z.unknown()).min(1, "at least one step"),
});

export interface Pipeline {
  /** Folder that relative paths start from. */
  readonly base: string;
  readonly out: string;
  readonly server: z.output<typeof headSchema>["server"];
  readonly steps: readonly PipelineStep[];
}

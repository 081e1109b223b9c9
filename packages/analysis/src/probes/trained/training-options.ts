import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { labelValueSchema } from "../../results/label-value.ts";
import { checkDataset } from "../check-dataset.ts";
import type { Probe } from "../probe.ts";
import { rowChoiceSchema, type RowChoice } from "../row-choice.ts";
import type { LabelValue } from "../sweep-rows.ts";
import type { ProbeTrainer } from "./probe-trainer.ts";

interface SharedOptions {
  /** `logistic()`, `ridge()`, `lda()`, …: any probe that sweeps take, or a trainer. */
  probe: Probe | ProbeTrainer;
  /** Of two classes: the one of high scores. true and 1 need no saying; more than two values without it are a probe of classes. */
  positive?: LabelValue;
  /** Strength of the penalty: one of the probe's own values, where it has more than one. */
  C?: number;
  /** Id of the model, for the probe to refuse captures of others. Default: what the dataset says. */
  model?: string;
}

/** Training on rows of a dataset or a view. */
export interface TrainProbeOptions extends SharedOptions {
  layer: number;
  /** Column of the classes or numbers. Rows without a value are left out. */
  label: string;
  /** Column of rows that must not be parted. Default: `group` where there is one. */
  group?: string;
  /** The rows to train on, by row number or by columns' values: leave out those that it will be judged by. */
  where?: RowChoice;
}

/** Rows in memory. */
export interface RawTrainingRows {
  /** `[rows, width]`. */
  values: Float32Array;
  width: number;
  /** `[rows]`: a class or a number each. */
  labels: ArrayLike<LabelValue>;
  /** `[rows]`: rows of one group are not parted. */
  groups?: ArrayLike<unknown>;
  /** `[rows]`: rows of one example (a prompt's tokens) in their order. */
  examples?: ArrayLike<unknown>;
  /** `[rows]`: how often each row is there, ≥ 0: 0 leaves it out, 2 is the same as the row twice. */
  weights?: ArrayLike<number>;
}

/** Training on rows in memory. */
export interface TrainRowsOptions extends SharedOptions {
  /** Layer of the rows, for directions and for the check of captures. */
  layer?: number;
  /** What the labels are called. */
  label?: string;
}

const shared = {
  probe: z.custom<Probe | ProbeTrainer>(isProbe, "a probe, such as logistic() or ridge()"),
  positive: labelValueSchema.optional(),
  C: z.number().optional(),
  model: z.string().min(1).optional(),
};
const datasetOptionsSchema = z.strictObject({
  ...shared,
  layer: z.int().min(-1),
  label: z.string().min(1),
  group: z.string().min(1).optional(),
  where: rowChoiceSchema.optional(),
});
const rowsOptionsSchema = z.strictObject({
  ...shared,
  layer: z.int().min(-1).optional(),
  label: z.string().min(1).optional(),
});
const list = z.custom<ArrayLike<unknown>>(isList, "a list with a value for each row");
const rawRowsSchema = z.strictObject({
  values: z.instanceof(Float32Array, { error: "a Float32Array [rows, width]" }),
  width: z.int().min(1),
  labels: list,
  groups: list.optional(),
  examples: list.optional(),
  weights: list.optional(),
});

/** Throws InvalidRequestError. */
export function checkDatasetOptions(dataset: unknown, options: unknown): TrainProbeOptions {
  checkDataset(dataset, "trainProbe");
  return checkOptions(datasetOptionsSchema, options, "trainProbe options") as TrainProbeOptions;
}

/** Throws InvalidRequestError. */
export function checkRowsOptions(rows: unknown, options: unknown): TrainRowsOptions {
  checkOptions(rawRowsSchema, rows, "trainProbe rows", "rows");
  return checkOptions(rowsOptionsSchema, options, "trainProbe options") as TrainRowsOptions;
}

function isProbe(value: unknown): boolean {
  const probe = value as Partial<Probe & ProbeTrainer> | null;
  if (typeof probe !== "object" || probe === null) return false;
  return typeof probe.name === "string" && (isFunction(probe.fit) || isFunction(probe.train));
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

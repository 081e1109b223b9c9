import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import type { Probe } from "../probes/probe.ts";
import { rowChoiceSchema, type RowChoice } from "../probes/row-choice.ts";
import type { LabelValue } from "../probes/sweep-rows.ts";
import { labelValueSchema } from "../results/label-value.ts";

export interface SweepOptions {
  /** The label column: boolean, 0/1, two values with `positive` naming one, more values (classes), or numbers. Rows without a value are left out. */
  label: string;
  positive?: LabelValue;
  /** The column whose values must not lie on both sides of a split. Default: `group`, else `example` (one row each). */
  group?: string;
  /** Default: all of the dataset. */
  layers?: readonly number[];
  /** Default: difference of means, and logistic regression at C = 1e-4, 1e-3, … 1e2; of numbers ridge regression. */
  probes?: readonly Probe[];
  /** Outer folds (default 5, at least 3); the inner folds of each are the other ones. */
  folds?: number;
  seed?: number;
  /** Bootstrap draws of an interval (default 1000). */
  draws?: number;
  /** Label shuffles of the control and the permutation p, which is at least 1 / (1 + shuffles) (default 20). */
  shuffles?: number;
  /** Random directions of the control (default 100). */
  randomDirections?: number;
  /** Rows to use: `{ split: "train", y: [0, 1] }`, or a function of the row's number. */
  where?: RowChoice;
  /**
   * Rows whose tokens state the answer, for a score without them: ids among the tokens that a row has read, texts of the row's own token, or a
   * function of the row's number.
   */
  tokenFilter?: readonly (number | string)[] | ((row: number) => boolean);
  /** The column whose values are the kinds of tokens of the control task (default `token_id`, else `token`). */
  tokenColumn?: string;
  /**
   * Worker threads, each with a layer of its own in hand; 0 computes in this thread, which then does nothing else. Default: as
   * many as the machine has cores, and 0 for small sweeps, on WebGPU and for probes of your own. The numbers are the same.
   */
  workers?: number;
  signal?: AbortSignal;
  /** After each layer, in the order in which they end. */
  onProgress?: (progress: { layer: number; done: number; total: number }) => void;
}

const count = z.int().min(0).max(1e6);

export const probeSchema = z.custom<Probe>(
  (given) => typeof (given as Partial<Probe> | null)?.fitAt === "function",
  "a probe, such as logistic() or differenceOfMeans()",
);

const sweepOptionsSchema = z.strictObject({
  label: z.string().min(1),
  positive: labelValueSchema.optional(),
  group: z.string().min(1).optional(),
  layers: z.array(z.int()).min(1).optional(),
  probes: z.array(probeSchema).min(1).optional(),
  folds: z.int().min(3).max(255).default(5),
  seed: z.number().default(0),
  draws: count.min(1).default(1000),
  shuffles: count.default(20),
  randomDirections: count.default(100),
  where: rowChoiceSchema.optional(),
  tokenFilter: z
    .union([
      z.array(z.union([z.int(), z.string()])).min(1),
      z.custom<(row: number) => boolean>(
        (given) => typeof given === "function",
        "a function of a row's number",
      ),
    ])
    .optional(),
  tokenColumn: z.string().min(1).optional(),
  workers: z.int().min(0).max(256).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z
    .custom<NonNullable<SweepOptions["onProgress"]>>((given) => typeof given === "function", "a function")
    .optional(),
});
export type CheckedSweepOptions = z.output<typeof sweepOptionsSchema>;

/** Throws InvalidRequestError. */
export function checkSweepOptions(options: unknown): CheckedSweepOptions {
  return checkOptions(sweepOptionsSchema, options, "sweep options");
}

import { z } from "zod";
import type { Probe } from "../../probes/probe.ts";
import { rowChoiceSchema, type RowChoice } from "../../probes/row-choice.ts";
import type { LabelValue } from "../../probes/sweep-rows.ts";
import { labelValueSchema } from "../../results/label-value.ts";
import { probeSchema } from "../sweep-options.ts";

export interface SweepPositionsOptions {
  /** A label of two classes: boolean, 0/1, or two values with `positive` naming one. Rows without a value are left out. */
  label: string;
  positive?: LabelValue;
  /** The column whose values must not lie on both sides of a split. Default: `group`. */
  group?: string;
  /** Default: all of the dataset. */
  layers?: readonly number[];
  /** Places to read, counted as `from` says. Default: those at which every example has a row, at most the 32 nearest. */
  positions?: readonly number[];
  /** `end` (default): −1 is each example's last row, −2 the token before it. `start`: 0 is the first token, BOS included. */
  from?: "start" | "end";
  /** Default: difference of means. Of several values of C the inner folds choose one in each cell. */
  probe?: Probe;
  folds?: number;
  seed?: number;
  /** Bootstrap draws of an interval (default 1000). */
  draws?: number;
  /** Rows to use: `{ role: "prompt" }` counts from the prompt's end where rows of generated tokens are there too. */
  where?: RowChoice;
  signal?: AbortSignal;
  /** After each layer. */
  onProgress?: (progress: { layer: number; done: number; total: number }) => void;
}

const each = (of: z.ZodType<number>, what: string) =>
  z
    .array(of)
    .min(1)
    .refine((list) => new Set(list).size === list.length, `each ${what} once`);

export const positionOptionsSchema = z
  .strictObject({
    label: z.string().min(1),
    positive: labelValueSchema.optional(),
    group: z.string().min(1).optional(),
    layers: each(z.int().min(-1), "layer").optional(),
    positions: each(z.int(), "position").optional(),
    from: z.enum(["start", "end"]).default("end"),
    probe: probeSchema.optional(),
    folds: z.int().min(2).max(255).default(5),
    seed: z.number().default(0),
    draws: z.int().min(1).max(1e6).default(1000),
    where: rowChoiceSchema.optional(),
    signal: z.instanceof(AbortSignal).optional(),
    onProgress: z
      .custom<NonNullable<SweepPositionsOptions["onProgress"]>>(
        (given) => typeof given === "function",
        "a function",
      )
      .optional(),
  })
  .refine(
    ({ from, positions = [] }) => positions.every((place) => (from === "end" ? place < 0 : place >= 0)),
    {
      path: ["positions"],
      error:
        'from −1 down where they are counted from the end (−1 is the last row), from 0 up with from: "start"',
    },
  );
export type CheckedPositionOptions = z.output<typeof positionOptionsSchema>;

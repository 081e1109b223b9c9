import { ResiduaError } from "@residua/lens";

/** What went wrong, as a stable word to branch on. */
export type ProbeErrorCode =
  | "bad_option"
  | "bad_label"
  | "bad_group"
  | "bad_column"
  | "no_rows"
  | "group_required"
  | "too_few_groups"
  /** Rows of one group are in two datasets that should be independent. */
  | "shared_groups"
  | "one_class"
  | "not_finite"
  | "streamed"
  | "not_probability"
  | "wrong_width"
  | "not_converged"
  | "not_positive_definite"
  | "bad_direction"
  | "bad_calibration"
  /** A trained probe's file or document is not one, or was changed or cut. */
  | "bad_probe"
  /** The probe is not linear: no one direction stands for it. */
  | "no_direction"
  | "wrong_layer"
  | "wrong_model"
  /** So few control rows cannot show so small a rate. */
  | "rate_unresolved"
  /** An eraser's file or document is not one. */
  | "bad_eraser"
  /** Rows that should come in pairs do not. */
  | "bad_pairs"
  | "bad_answer";

/** A probe, split, statistic or steering experiment that cannot be had as asked; `data` holds the figures that the message speaks of. */
export class ProbeError extends ResiduaError {
  declare readonly code: ProbeErrorCode;

  constructor(code: ProbeErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

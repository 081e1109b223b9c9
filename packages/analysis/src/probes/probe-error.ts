import { ResiduaError } from "@residua/lens";

/** What went wrong, as a stable word to branch on. */
export type ProbeErrorCode =
  | "bad_option"
  | "bad_label"
  | "bad_group"
  | "bad_column"
  | "group_required"
  | "too_few_groups"
  | "one_class"
  | "not_finite"
  | "not_probability"
  | "wrong_width"
  | "not_converged"
  | "not_positive_definite"
  | "bad_direction"
  | "bad_calibration"
  | "bad_answer";

/** A probe, split, statistic or steering experiment that cannot be had as asked; `data` holds the figures that the message speaks of. */
export class ProbeError extends ResiduaError {
  declare readonly code: ProbeErrorCode;

  constructor(code: ProbeErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

import { ResiduaError } from "@residua/client";

/** An answer that came with a 200 and is not what was asked for. `data` has what was expected and what came. */
export class VerificationError extends ResiduaError {
  declare readonly code:
    | "missing_activations"
    | "shape"
    | "layer_count"
    | "row_count"
    | "hidden_size"
    | "non_finite"
    | "token_ids"
    | "token_count"
    | "double_bos"
    | "split_mismatch"
    | "other_request_rows"
    | "repeated_rows"
    | "zero_rows"
    | "equal_layers"
    | "finish_reason"
    | "nan_poisoning"
    | "steering_layers_below"
    | "steering_misplaced"
    | "steering_dropped"
    | "steering_prefill_only"
    | "steering_rows_missed"
    | "steering_doubled"
    | "steering_scale"
    | "steering_norm_match"
    | "steering_delta";

  constructor(
    code: VerificationError["code"],
    message: string,
    data: Readonly<Record<string, unknown>> = {},
  ) {
    super(code, message, data);
  }
}

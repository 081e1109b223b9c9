import { ResiduaError } from "@residua/client";

/** A steering vector, direction or expression that cannot be, or cannot be sent to this model. */
export class SteeringError extends ResiduaError {
  declare readonly code:
    | "steering_rows"
    | "steering_rank"
    | "steering_layer"
    | "steering_width"
    | "steering_not_finite"
    | "steering_zero_vector"
    | "steering_scale"
    | "steering_positions"
    | "steering_too_many"
    | "steering_too_large"
    | "steering_option"
    | "steering_expression"
    | "direction_name"
    | "direction_unknown"
    | "direction_file";

  constructor(code: SteeringError["code"], message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

import { ResiduaError } from "@residua/client";

/** A tensor on the wire that cannot be what it says it is, or cannot be had or sent. */
export class TensorError extends ResiduaError {
  declare readonly code:
    | "tensor_form"
    | "tensor_shape"
    | "tensor_dtype"
    | "tensor_compression"
    | "tensor_base64"
    | "tensor_size"
    | "tensor_frame"
    | "tensor_truncated"
    | "tensor_overflow"
    | "handle_expired"
    | "handle_mismatch"
    | "handle_route";

  constructor(code: TensorError["code"], message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

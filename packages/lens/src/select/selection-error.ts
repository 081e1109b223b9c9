import { ResiduaError } from "@residua/client";

/** A selection that this capture cannot give exactly. */
export class SelectionError extends ResiduaError {
  declare readonly code:
    | "span_not_found"
    | "span_ambiguous"
    | "span_cuts_token"
    | "span_not_captured"
    | "offsets_unknown"
    | "bos_unknown"
    | "empty_selection";

  constructor(code: SelectionError["code"], message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

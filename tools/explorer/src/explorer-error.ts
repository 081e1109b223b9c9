import { ResiduaError } from "@residua/lens";

/** What the explorer itself finds wrong. */
export type ExplorerErrorCode =
  | "bad_field"
  | "folder_unreadable"
  | "listen_failed"
  | "no_such_dataset"
  | "no_such_example"
  | "no_such_layer"
  | "no_such_scorer"
  | "nothing_to_explore"
  | "wrong_model";

/** The message says what was given, what is allowed and what to do. */
export class ExplorerError extends ResiduaError {
  declare readonly code: ExplorerErrorCode;

  constructor(code: ExplorerErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(code, message, data);
  }
}

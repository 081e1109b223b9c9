import {
  APIError,
  CaptureLimitError,
  FormatError,
  InvalidRequestError,
  SteeringError,
  TensorError,
  VerificationError,
} from "@residua/lens";
import { CommanderError } from "commander";
import { InterruptError } from "./interrupt.ts";

/** Errors without a class of their own here that the user mends by asking differently. */
const badInput = new Set([
  ...[
    "usage",
    "invalid_option",
    "missing_option",
    "api_key_required",
    "api_keys_invalid",
    "ledger_invalid",
    "jobs_folder_invalid",
    "quirk_invalid",
  ],
  ...["journal_locked", "journal_mismatch", "journal_invalid", "journal_damaged", "journal_unreadable"],
  ...["not_a_dataset", "dataset_differs", "no_such_column", "no_such_layer", "no_rows"],
  ...["sources_differ", "example_clash", "join_mismatch"],
  ...["file_invalid", "column_invalid", "not_exact", "file_exists"],
  ...["run_unreadable", "run_empty", "report_invalid", "nothing_to_compare"],
  "backend_unknown",
  ...["bad_option", "bad_label", "bad_group", "group_required", "one_class", "too_few_groups", "wrong_width"],
  ...["bad_probe", "wrong_layer", "wrong_model", "shared_groups", "rate_unresolved"],
  ...[
    "folder_unreadable",
    "config_invalid",
    "unsupported_model",
    "weights_invalid",
    "tokenizer_invalid",
    "model_too_large",
    "backend_unavailable",
    "backend_file_missing",
  ],
]);

/**
 * What the user sees of an error, and the exit code: 0 ok, 1 failed, 2 bad input, 3 a check failed, 130 interrupted.
 * A stack trace is shown only with RESIDUA_DEBUG=1.
 */
export function explainFailure(
  error: unknown,
  { interrupted = false }: { interrupted?: boolean } = {},
): { message: string; exitCode: number } {
  // Commander has printed its own words already.
  if (error instanceof CommanderError) return { message: "", exitCode: error.exitCode === 0 ? 0 : 2 };
  const failure = error instanceof Error ? error : new Error(String(error));
  const debug = process.env["RESIDUA_DEBUG"] === "1";
  const shown = debug ? (failure.stack ?? failure.message) : failure.message;
  if (interrupted || failure instanceof InterruptError) return { message: debug ? shown : "", exitCode: 130 };
  return { message: `residua: ${shown}`, exitCode: exitCodeOf(failure) };
}

function exitCodeOf(failure: Error): number {
  if (failure instanceof VerificationError || failure instanceof TensorError) return 3;
  if ("code" in failure && ["needs_failed", "check_failed"].includes(String(failure.code))) return 3;
  if (failure instanceof InvalidRequestError || failure instanceof CaptureLimitError) return 2;
  if (failure instanceof SteeringError || failure instanceof FormatError) return 2;
  if (failure instanceof APIError) return [400, 404, 413, 422].includes(failure.status) ? 2 : 1;
  return "code" in failure && typeof failure.code === "string" && badInput.has(failure.code) ? 2 : 1;
}

import { CommanderError } from "commander";
import { InterruptError } from "./interrupt.ts";

/** Wrong input that the command itself found: which option, what was given, what is allowed. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

/** Codes of errors that the user mends by asking differently: exit 2. */
const badInput = new Set([
  "usage",
  "invalid_request",
  "capture_too_large",
  "steering_too_large",
  "invalid_steering",
  "invalid_layers",
  "model_not_found",
  "invalid_examples",
  "not_a_dataset",
  "dataset_differs",
  "invalid_model_folder",
]);

/** Codes of verification failures: what came back is not what was asked for: exit 3. */
const failedCheck = new Set([
  "missing_activations",
  "layer_count",
  "row_count",
  "hidden_size",
  "non_finite",
  "token_ids",
  "double_bos",
]);

/**
 * What the user sees of an error, and the exit code: 0 ok, 1 failed, 2 bad input, 3 a check failed, 130 interrupted.
 * A stack trace is shown only with RESIDUA_DEBUG=1.
 */
export function explainFailure(
  error: unknown,
  { interrupted = false }: { interrupted?: boolean } = {},
): { message: string; exitCode: number } {
  if (error instanceof CommanderError) return { message: "", exitCode: error.exitCode === 0 ? 0 : 2 };
  const failure = error instanceof Error ? error : new Error(String(error));
  const shown = process.env["RESIDUA_DEBUG"] === "1" ? (failure.stack ?? failure.message) : failure.message;
  if (interrupted || failure instanceof InterruptError) {
    return { message: process.env["RESIDUA_DEBUG"] === "1" ? shown : "", exitCode: 130 };
  }
  const code = "code" in failure && typeof failure.code === "string" ? failure.code : undefined;
  return { message: `residua: ${shown}`, exitCode: exitCodeOf(code) };
}

function exitCodeOf(code: string | undefined): number {
  if (code !== undefined && badInput.has(code)) return 2;
  if (code !== undefined && failedCheck.has(code)) return 3;
  return 1;
}

import { TensorError } from "../codec/tensor-error.ts";
import { FormatError } from "../formats/format-error.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";
import type { Kind } from "./kinds.ts";

/** By name, what was given and what it may be. */
type Arguments = Readonly<Record<string, readonly [given: unknown, kind: Kind]>>;

/** Error `tensor_form` for the first argument that is none of its kind. `called`: the function's name. */
export function checkTensorArguments(called: string, given: Arguments): void {
  const problem = problemOf(called, given);
  if (problem !== undefined) throw new TensorError("tensor_form", problem.message, { field: problem.field });
}

/** The same with `format_invalid`. */
export function checkFormatArguments(called: string, given: Arguments): void {
  const problem = problemOf(called, given);
  if (problem !== undefined)
    throw new FormatError("format_invalid", problem.message, { field: problem.field });
}

/** The same with `invalid_option`. */
export function checkOptionArguments(called: string, given: Arguments): void {
  const problem = problemOf(called, given);
  if (problem !== undefined) throw new LensOptionError(problem.message);
}

function problemOf(called: string, given: Arguments): { message: string; field: string } | undefined {
  for (const [name, [value, kind]] of Object.entries(given)) {
    const fault = kind.fault(value, name);
    if (fault === undefined) continue;
    const { field } = fault;
    return { field, message: `${called}: ${field} ${fault.given} given; allowed: ${fault.allowed}` };
  }
  return undefined;
}

import { ResiduaError } from "@residua/lens";

export type RunErrorCode =
  /** The path is no folder that can be read, or holds too many files to be a run. */
  | "run_unreadable"
  /** The folder holds nothing that a report could show. */
  | "run_empty"
  /** The file is no report with data in it, or its data was cut or changed. */
  | "report_invalid"
  /** Two runs that were to be compared have nothing in common. */
  | "nothing_to_compare";

/** A run folder or a report that cannot be read: says which path, what was found and what to do. */
export class RunError extends ResiduaError {
  readonly path: string;
  declare readonly code: RunErrorCode;

  constructor(code: RunErrorCode, { path, found, advice }: { path: string; found: string; advice: string }) {
    super(code, `${path}: ${found}. ${advice}`, { path, found, advice });
    this.path = path;
  }
}

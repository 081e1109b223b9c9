import type { TaskOutput } from "../../compute/worker-messages.ts";
import type { Backend, Candidate } from "../backend-name.ts";
import { startBackend } from "../start-backend.ts";
import type { NumericResult } from "./numeric-check.ts";
import { runNumericSuite } from "./run-numeric-suite.ts";

/** What the numeric suite found on one way to compute, or why it is not there. */
export type BackendExam =
  | ({
      readonly candidate: Candidate;
      readonly ms: number;
      readonly results: readonly NumericResult[];
    } & Pick<Backend, "name" | "device" | "threads" | "reasons">)
  | { readonly candidate: Candidate; readonly reason: string };

export interface SuiteJob {
  readonly candidate: Candidate;
  /** Leaves out checks with a tensor of more bytes. */
  readonly bytes?: number;
}

/** Starts one backend in this thread, software adapters too, and runs the whole suite on it. */
export async function suiteTask({ candidate, bytes }: SuiteJob): Promise<TaskOutput<BackendExam>> {
  const started = await startBackend(candidate, { asked: true, unchecked: true });
  if ("reason" in started) return { output: { candidate, reason: started.reason } };
  const began = performance.now();
  const results = await runNumericSuite(bytes === undefined ? {} : { bytes });
  const { name, device, threads, reasons = [] } = started;
  const ms = Math.round(performance.now() - began);
  return { output: { candidate, name, device, threads, reasons, ms, results } };
}

import { ResiduaError } from "@residua/lens";
import { tasksUrl } from "../../compute/shared-pool.ts";
import { createWorkerPool } from "../../compute/worker-pool.ts";
import { candidateOf, candidates, type BackendName, type Candidate } from "../backend-name.ts";
import type { NumericResult } from "./numeric-check.ts";
import type { BackendExam, SuiteJob } from "./suite-task.ts";

/**
 * Runs the numeric suite on every backend that is there (or the ones named), each in a worker thread of its own, one after the
 * other: a backend that brings its thread down fails alone (a library that crashes the process does not). Backends that are not there say why.
 */
export async function examineBackends(
  options: {
    backends?: readonly (BackendName | "native")[];
    /** Leaves out checks with a tensor of more bytes. */
    bytes?: number;
    signal?: AbortSignal;
    onProgress?: (progress: { backend: BackendName; done: number; total: number }) => void;
  } = {},
): Promise<BackendExam[]> {
  const { bytes, signal, onProgress } = options;
  const chosen = options.backends ? [...new Set(options.backends.map(candidateOf))] : candidates;
  const exams: BackendExam[] = [];
  for (const candidate of chosen) {
    onProgress?.({ backend: candidate, done: exams.length, total: chosen.length });
    const pool = createWorkerPool({ size: 1, tasks: tasksUrl });
    try {
      const input: SuiteJob = { candidate, ...(bytes !== undefined && { bytes }) };
      exams.push(await pool.run<SuiteJob, BackendExam>("numeric-suite", () => ({ input }), { signal }));
    } catch (error) {
      if (!(error instanceof ResiduaError) || error.code !== "worker_died") throw error;
      exams.push(crashed(candidate, error.message));
    } finally {
      await pool.close();
    }
  }
  return exams;
}

/** It started and then took its thread with it: that is no absence. */
function crashed(candidate: Candidate, message: string): BackendExam {
  const result: NumericResult = {
    name: "the suite runs to its end",
    status: "fail",
    tolerance: "exact",
    reference: "none",
    ms: 0,
    found: message,
    expected: "an answer",
  };
  return {
    candidate,
    name: candidate,
    device: "unknown",
    threads: null,
    reasons: [],
    ms: 0,
    results: [result],
  };
}

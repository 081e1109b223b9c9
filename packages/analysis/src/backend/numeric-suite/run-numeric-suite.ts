import * as tf from "@tensorflow/tfjs";
import { tfjsNames, type Candidate } from "../backend-name.ts";
import { elementChecks } from "./element-checks.ts";
import { indexChecks } from "./index-checks.ts";
import { largeChecks } from "./large-checks.ts";
import { nonFiniteChecks } from "./non-finite-checks.ts";
import type { NumericCheck, NumericResult } from "./numeric-check.ts";
import { probeChecks } from "./probe-checks.ts";
import { productChecks } from "./product-checks.ts";
import { reductionChecks } from "./reduction-checks.ts";

/** Every check, small ones first. */
export const numericChecks: readonly NumericCheck[] = [
  ...productChecks,
  ...reductionChecks,
  ...elementChecks,
  ...indexChecks,
  ...nonFiniteChecks,
  ...probeChecks,
  ...largeChecks,
];

/** Runs the numeric suite on the active backend. A check that throws has failed; the others still run. */
export async function runNumericSuite(
  options: {
    checks?: readonly NumericCheck[];
    /** Leaves out checks with a tensor of more bytes. */
    bytes?: number;
    signal?: AbortSignal;
  } = {},
): Promise<NumericResult[]> {
  const { checks = numericChecks, bytes = Infinity, signal } = options;
  const results: NumericResult[] = [];
  for (const check of checks) {
    signal?.throwIfAborted();
    results.push(await runCheck(check, bytes));
  }
  return results;
}

async function runCheck(check: NumericCheck, most: number): Promise<NumericResult> {
  const { name, tolerance, reference, bytes = 0 } = check;
  const about = { name, tolerance, reference };
  if (bytes > most) {
    return {
      ...about,
      status: "skipped",
      ms: 0,
      reason: `needs a tensor of ${bytes} bytes, and ${most} were allowed`,
    };
  }
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const { worst, ...finding } = await check.run();
    // JSON has no Infinity.
    const result = { ...about, ...finding, ...(worst < Infinity && { worst }) };
    if (worst <= 1) return { ...result, status: "pass", ms: ms() };
    const known = Object.entries(check.known ?? {}).find(
      ([name]) => tfjsNames[name as Candidate] === tf.getBackend(),
    );
    return known
      ? { ...result, status: "known", ms: ms(), reason: known[1] }
      : { ...result, status: "fail", ms: ms() };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { ...about, status: "fail", ms: ms(), found, expected: "an answer" };
  }
}

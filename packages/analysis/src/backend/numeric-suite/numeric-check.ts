import type { Candidate } from "../backend-name.ts";

/** One thing that a backend must compute rightly. */
export interface NumericCheck {
  readonly name: string;
  /** How far off a value may be, in words. */
  readonly tolerance: string;
  /** Where the expected values come from, in words. */
  readonly reference: string;
  /** Bytes of its largest tensor, where they are many. */
  readonly bytes?: number;
  /** Faults of tfjs 4.22 on a backend, which this package keeps clear of: what goes wrong, in words. */
  readonly known?: Partial<Record<Candidate, string>>;
  /** Computes on the active backend and compares. */
  run(): Promise<Finding>;
}

/** What a check found: the worst value of all that it compared. */
export interface Finding {
  /** Largest error as a share of what is allowed; above 1, and where a value is NaN by mistake, the check failed. */
  readonly worst: number;
  /** The worst value, what it should be, and where it stands. */
  readonly found: number | string;
  readonly expected: number | string;
  readonly at?: string;
  /** What is allowed but worth knowing. */
  readonly note?: string;
}

/** The outcome of one check. */
export interface NumericResult {
  readonly name: string;
  /** `known`: it failed as tfjs is known to there, and nothing of this package computes it. */
  readonly status: "pass" | "fail" | "known" | "skipped";
  readonly tolerance: string;
  readonly reference: string;
  readonly ms: number;
  readonly worst?: number;
  readonly found?: number | string;
  readonly expected?: number | string;
  readonly at?: string;
  readonly note?: string;
  /** Why it was skipped, or what is known. */
  readonly reason?: string;
}

import type { RequestOptions } from "../client-types.ts";
import { checkOptions, waitOptionRules } from "../option-rules.ts";
import { APIAbortError, APIConnectionError, APIError } from "../transport/api-error.ts";
import { retryOfConnection } from "../transport/retry-policy.ts";
import { pause } from "../transport/pause.ts";
import type { Job } from "./job.ts";
import { JobError } from "./job-error.ts";

/** Beside its own, those of each look. */
export interface WaitOptions extends Omit<RequestOptions, "timeout"> {
  /** Milliseconds between two looks: the first (1000), half as much again each time up to the longest (30000). */
  interval?: { first?: number; longest?: number };
  /** Milliseconds to wait in all (none); then JobError `job_timeout`, and the job goes on. */
  timeout?: number;
  /** Milliseconds for which the server may be out of reach or busy (600000) before that is thrown. */
  longestOutage?: number;
  /** Called with the job each time it was looked at. */
  onProgress?: (job: Job) => void;
  /** Ends the waiting with APIAbortError; the job goes on, but with `cancelOnAbort`. */
  signal?: AbortSignal;
  /** Cancels the job when the signal ends the waiting. */
  cancelOnAbort?: boolean;
}

/** A look at a job, and what the server said of when to look again. */
export interface Look {
  job: Job;
  /** Seconds. */
  retryAfter: number | undefined;
}

interface WaitClock {
  now(): number;
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Milliseconds for one look: it computes nothing. */
const longestLook = 60_000;

const realClock: WaitClock = {
  now: () => performance.now(),
  pause: (milliseconds, signal) => pause(milliseconds, signal, () => new APIAbortError()),
};

/**
 * Looks at a job until it has ended. A server that is out of reach or busy meanwhile is waited for. Resolves with the ended job;
 * throws JobError `job_timeout`, and what `look` throws.
 */
export async function waitForJob(
  id: string,
  look: (timeout: number) => Promise<Look>,
  options: WaitOptions,
  clock = realClock,
): Promise<Job> {
  const { first, longest, timeout, longestOutage } = readWaitOptions(options);
  const start = clock.now();
  let heard = start;
  let interval = first;
  for (;;) {
    let least = 0;
    try {
      const { job, retryAfter } = await look(
        Math.max(1, Math.min(longestLook, start + timeout - clock.now())),
      );
      options.onProgress?.(job);
      if (hasEnded(job)) return job;
      heard = clock.now();
      least = retryAfter ?? 0;
    } catch (error) {
      if (!passes(error) || clock.now() - heard >= longestOutage) throw error;
      least = (error as Partial<APIError>).retryAfter ?? 0;
    }
    const left = start + timeout - clock.now();
    if (left <= 0) throw timedOut(id, timeout);
    // A server that says to come back in a year is asked again as if it had been out of reach.
    const wished = Math.min(least * 1000, longestOutage);
    await clock.pause(Math.min(Math.max(interval, wished), left), options.signal);
    interval = Math.min(longest, interval * 1.5);
  }
}

function hasEnded({ status }: Job): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}

/** Faults that a later look may not meet. */
function passes(error: unknown): boolean {
  if (error instanceof APIError) return error.retryable || error.status >= 500;
  if (!(error instanceof APIConnectionError)) return false;
  return retryOfConnection(error.reason, { reused: false, answered: false }) !== "never";
}

function timedOut(id: string, timeout: number): JobError {
  const message = `job ${id} has not ended within ${timeout} ms; it goes on, and can be waited for again`;
  return new JobError("job_timeout", message, { id, timeout });
}

function readWaitOptions(options: WaitOptions) {
  checkOptions(options, waitOptionRules);
  const { interval = {}, timeout = Infinity, longestOutage = 600_000 } = options;
  const { first = 1000, longest = 30_000 } = interval;
  return { first, longest: Math.max(first, longest), timeout, longestOutage };
}

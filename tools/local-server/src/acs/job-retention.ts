import { hasEnded, type JobRecord } from "./job-record.ts";

/** How long a job that has ended is kept, with its result. */
export interface JobRetention {
  /** Seconds after its end. */
  readonly seconds: number;
  /** So many of a key's ended jobs, the latest. */
  readonly count: number;
}

/** A week, and a thousand for each key. */
export const defaultRetention: JobRetention = { seconds: 7 * 86_400, count: 1000 };

type Kept = Pick<JobRecord, "status" | "completed_at" | "owner" | "number">;

/** The jobs that are kept no longer; `now` in seconds since 1970. One that has not ended is never among them. */
export function expiredJobs<Record extends Kept>(
  records: readonly Record[],
  now: number,
  { seconds, count }: JobRetention,
): Record[] {
  const ended = records
    .filter(hasEnded)
    .sort((a, b) => b.completed_at! - a.completed_at! || b.number - a.number);
  const kept = new Map<string, number>();
  return ended.filter(({ owner, completed_at: end }) => {
    const later = kept.get(owner) ?? 0;
    if (later >= count || now - end! >= seconds) return true;
    kept.set(owner, later + 1);
    return false;
  });
}

import { failureOf, type CollectFailure } from "../collect-failure.ts";
import { collectInOrder } from "../collect-in-order.ts";
import { Pace } from "../collect-progress.ts";
import { endsRun, FailureLimit } from "../failure-limit.ts";
import type { PlannedRollout } from "./rollout-plan.ts";
import type { RolloutSettings } from "./rollout-options.ts";

export interface StageOptions {
  stage: "sample" | "grade";
  rollouts: readonly PlannedRollout[];
  settings: RolloutSettings;
  /** Whether an earlier run did it. */
  isDone: (rollout: PlannedRollout) => boolean;
  work: (rollout: PlannedRollout) => Promise<void>;
}

/** Does what is left of a stage. Returns the failures, by the rollout's place; throws what ends the run. */
export async function runStage(options: StageOptions): Promise<Map<number, CollectFailure>> {
  const { stage, rollouts, settings, isDone, work } = options;
  const { concurrency, signal, to, failFast, maxFailures } = settings.collect;
  const left = rollouts.flatMap((rollout, place) => (isDone(rollout) ? [] : [{ rollout, place }]));
  const total = rollouts.length;
  const reused = total - left.length;
  const failures = new Map<number, CollectFailure>();
  const limit = new FailureLimit(to, failFast ? 0 : maxFailures);
  const pace = new Pace();
  let done = reused;
  const report = (): void =>
    settings.rollouts.onProgress?.({
      ...{ stage, done, total, reused, failed: failures.size, rows: 0, shards: 0 },
      ...pace.read(total - done),
    });
  if (left.length === 0) return failures;
  report();
  await collectInOrder({
    from: 0,
    to: left.length,
    concurrency,
    signal,
    async task(i): Promise<{ failure: CollectFailure; cause: unknown; place: number } | undefined> {
      const { rollout, place } = left[i] as (typeof left)[number];
      try {
        await work(rollout);
        return undefined;
      } catch (cause) {
        if (signal?.aborted || failFast || endsRun(cause)) throw cause;
        const at = { example: rollout.id, index: place, contentHash: null, stage };
        return { failure: failureOf(cause, at), cause, place };
      }
    },
    deliver(failed) {
      done++;
      pace.tick();
      if (failed === undefined) limit.succeeded();
      else {
        failures.set(failed.place, failed.failure);
        limit.failed(failed.failure, failed.cause);
      }
      report();
      return Promise.resolve();
    },
  });
  return failures;
}

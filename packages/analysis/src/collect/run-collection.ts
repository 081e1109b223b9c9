import { captureAll, type Never } from "./capture-all.ts";
import { checkPlan } from "./check-plan.ts";
import type { Collection } from "./collection.ts";
import { planItems, type PlanProblem } from "./collection-plan.ts";
import type { CollectItem, PreparedItem } from "./collect-item.ts";
import { resumeCollection } from "./dataset-resume.ts";
import { DatasetWriter } from "./dataset-writer.ts";
import type { PlannedExample } from "./dataset-plan.ts";
import { FailureLimit } from "./failure-limit.ts";
import { removeDrafts } from "../files/file-atomic.ts";
import { ReusedRows } from "./reuse-rows.ts";

export interface RunOptions {
  folder: string;
  examples: readonly PlannedExample[];
  /** Whether a run of which every example failed so far goes on after them. Default: it begins anew. */
  keepFailures?: boolean;
}

/** Collects examples into a folder that is locked, going on where a run before was stopped. Throws what ends the run. */
export async function runCollection(collection: Collection, options: RunOptions): Promise<void> {
  const { folder, examples, keepFailures = false } = options;
  const { settings, columns, planOf, given } = collection;
  await removeDrafts(folder);
  const { items, chatTemplate } = await collection.prepare(examples, folder, given);
  const plan = planOf(examples);
  const { shardRows } = settings;
  const left = await resumeCollection({ folder, plan, columns, items, shardRows, keepFailures });
  const reused = new ReusedRows();
  try {
    for (const other of settings.reuse) await reused.addFolder(other);
    const writer = new DatasetWriter({ folder, ...left });
    const never = await planRest(collection, { folder, items, next: left.next, reused });
    const limit = new FailureLimit(folder, settings.failFast ? 0 : settings.maxFailures);
    await captureAll(collection, { items, writer, reused, never, attempts: left.attempts, limit });
    await writer.finish({ server: collection.server, chatTemplate });
  } finally {
    await reused.close();
  }
}

/** Plans what is left to capture, shows it, and returns why some of it can never be. */
async function planRest(
  { lens, model, settings }: Collection,
  {
    folder,
    items,
    next,
    reused,
  }: { folder: string; items: readonly PreparedItem[]; next: number; reused: ReusedRows },
): Promise<ReadonlyMap<number, Never>> {
  const isLeft = (item: CollectItem): boolean => !reused.has(item);
  const rest = items.slice(next).filter(({ item }) => item === undefined || isLeft(item));
  const plan = await planItems({ lens, model, items: rest, settings });
  await settings.onPlan?.(plan);
  settings.signal?.throwIfAborted();
  checkPlan(folder, plan);
  const never =
    (name: string, code: string) =>
    (problem: PlanProblem): [number, Never] => [problem.index, { name, code, message: problem.reason }];
  return new Map([
    ...plan.problems.map(never("InvalidRequestError", "invalid_request")),
    ...plan.tooLarge.map(never("CaptureLimitError", "capture_too_large")),
  ]);
}

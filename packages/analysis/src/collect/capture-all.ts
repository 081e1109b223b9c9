import { DatasetError } from "../dataset/dataset-error.ts";
import { failureOf, type CollectFailure } from "./collect-failure.ts";
import { collectInOrder } from "./collect-in-order.ts";
import type { CollectItem, PreparedItem } from "./collect-item.ts";
import { Pace } from "./collect-progress.ts";
import type { Collection } from "./collection.ts";
import type { DatasetWriter } from "./dataset-writer.ts";
import { endsRun, type FailureLimit } from "./failure-limit.ts";
import type { ReusedRows } from "./reuse-rows.ts";
import { selectFromCapture, type CapturedRows } from "./select-capture.ts";

export interface CaptureJob {
  items: readonly PreparedItem[];
  writer: DatasetWriter;
  reused: ReusedRows;
  /** Why examples can never be captured, by index. */
  never: ReadonlyMap<number, Never>;
  /** How often examples failed in runs before, by index. */
  attempts: ReadonlyMap<number, number>;
  limit: FailureLimit;
}

/** Why an example can never be captured, as the lens would say. */
export type Never = Pick<CollectFailure, "name" | "code" | "message">;

/** What became of one example. */
type Outcome =
  | { rows: CapturedRows; isReused: boolean }
  /** `cause` of a failure that a request met. */
  | { failure: CollectFailure; cause?: unknown };

/** Captures what is not through yet, in order. After an error or an abort the rows in hand are kept. */
export async function captureAll(collection: Collection, job: CaptureJob): Promise<void> {
  const { settings } = collection;
  const { items, writer, limit } = job;
  const { concurrency, signal, onProgress } = settings;
  const pace = new Pace();
  let reused = writer.nextExample;
  const total = items.length;
  const report = (): void =>
    onProgress?.({
      done: writer.nextExample,
      total,
      reused,
      failed: writer.failures.length,
      rows: writer.rows,
      shards: writer.shards,
      ...pace.read(total - writer.nextExample),
    });
  report();
  try {
    await collectInOrder({
      from: writer.nextExample,
      to: total,
      concurrency,
      signal,
      task: (index) => captureOne(collection, job, index),
      deliver: async (outcome) => {
        if ("rows" in outcome) {
          await writer.add(outcome.rows);
          if (outcome.isReused) reused++;
          else {
            limit.succeeded();
            pace.tick();
          }
        } else {
          await writer.fail(outcome.failure);
          if ("cause" in outcome) {
            pace.tick();
            limit.failed(outcome.failure, outcome.cause);
          }
        }
        report();
      },
    });
  } catch (error) {
    await parkAfter(error, writer, signal);
    throw error;
  }
}

async function captureOne(
  { lens, model, settings }: Collection,
  { items, reused, never, attempts }: CaptureJob,
  index: number,
): Promise<Outcome> {
  const { layers, max_tokens, signal, failFast } = settings;
  const tries = (attempts.get(index) ?? 0) + 1;
  const { item, failure } = items[index] as PreparedItem;
  if (item === undefined) return { failure: { ...failure, attempts: Math.max(failure.attempts, tries) } };
  const found = await reused.find(item);
  if (found !== undefined) return { rows: found, isReused: true };
  const { example, contentHash } = item;
  const at = { example: example.id, index, contentHash, attempts: tries };
  try {
    const refused = never.get(index);
    if (refused !== undefined) {
      if (failFast) throw new DatasetError("too_many_failures", refusedFirst(settings.to, refused));
      return { failure: { ...failureOf(undefined, { ...at, stage: "plan" }), ...refused } };
    }
    const request = { model, prompt: promptOf(item), layers, max_tokens, split: true };
    const capture = await lens.capture(request, signal ? { signal } : {});
    return { rows: selectFromCapture(capture, item), isReused: false };
  } catch (error) {
    if (signal?.aborted || failFast || endsRun(error)) throw naming(error, example.id);
    return { failure: failureOf(error, { ...at, stage: "capture" }), cause: error };
  }
}

function refusedFirst(path: string, { message }: Never) {
  return {
    path,
    found: message,
    expected: "captures that can be",
    advice: "Mend or leave out the example, or leave failFast out to have it recorded.",
  };
}

function promptOf({ prompt }: CollectItem): string | number[] {
  return typeof prompt === "string" ? prompt : [...prompt];
}

/** The cause stays the error; when nothing but an abort is the cause, failing to keep the rows in hand is the news. */
async function parkAfter(
  error: unknown,
  writer: DatasetWriter,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (error instanceof DatasetError && error.code === "disk_full") return;
  try {
    await writer.park();
  } catch (parking) {
    if (signal?.aborted) throw parking;
  }
}

function naming(error: unknown, id: string): unknown {
  if (error instanceof Error && error.name !== "AbortError")
    error.message = `example ${JSON.stringify(id)}: ${error.message}`;
  return error;
}

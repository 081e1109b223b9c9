import type { Lens } from "@residua/lens";
import { collectInOrder } from "./collect-in-order.ts";
import { checkCollectOptions, type CollectOptions, type CollectSettings } from "./collect-options.ts";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { openDataset, type ActivationDataset } from "../dataset/dataset-open.ts";
import { makePlan, type Plan } from "./dataset-plan.ts";
import { refuseOtherPlan, resumeCollection } from "./dataset-resume.ts";
import { DatasetWriter } from "./dataset-writer.ts";
import {
  checkExamples,
  invalidExamples,
  type CheckedExample,
  type CheckedExamples,
  type Example,
} from "../examples/example.ts";
import { removeDrafts } from "../files/file-atomic.ts";
import { lockFolder } from "../files/file-lock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { selectFromCapture } from "./select-capture.ts";

/**
 * Captures every example and writes the selected rows to `to`, in the order of the examples. A run that was stopped or
 * killed goes on where it was when it is called again with the same plan (model, checkpoint, examples, layers, selection,
 * max_tokens); a finished dataset of the same plan is opened at once; another plan is refused.
 *
 * The first capture that fails ends the run with its error, after those in flight; what is captured up to there is kept.
 * An abort ends it with the signal's reason, and keeps the same.
 *
 * Where the lens has tested its server (`lens.selfTest`), the fingerprint goes into the dataset.
 *
 * Throws InvalidRequestError (examples, options), DatasetError (`dataset_differs`, `dataset_locked`, `capture_differs`,
 * `disk_full`, …), and whatever the lens throws, with the example's id put before the message.
 */
export async function collect(
  lens: Pick<Lens, "describe" | "capture"> & Partial<Pick<Lens, "fingerprint">>,
  examples: readonly Example[],
  options: CollectOptions,
): Promise<ActivationDataset> {
  const checked = checkExamples(examples);
  refuseMessages(checked);
  const settings = checkCollectOptions(options);
  const { to, shardRows } = settings;
  settings.signal?.throwIfAborted();
  const { id, checkpoint } = await lens.describe(settings.model);
  const plan = makePlan(checked, {
    model: id,
    checkpoint: checkpoint.value,
    layers: settings.layers,
    selection: settings.select,
    maxTokens: settings.max_tokens,
  });
  const there = await openFinished(to, plan);
  if (there) return there;
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    const meanwhile = await openFinished(to, plan);
    if (meanwhile) return meanwhile;
    await removeDrafts(to);
    const left = await resumeCollection({ folder: to, plan, checked, shardRows });
    const writer = new DatasetWriter({ folder: to, checked, ...left });
    await captureAll({
      lens,
      model: id,
      examples: checked.examples,
      settings,
      writer,
      onProgress: options.onProgress,
    });
    await writer.finish(lens.fingerprint?.(id));
  } finally {
    await lock.release();
  }
  return openDataset(to);
}

function refuseMessages({ examples }: CheckedExamples): void {
  const chat = examples.findIndex(({ messages }) => messages !== null);
  if (chat < 0) return;
  throw invalidExamples([
    { field: `examples[${chat}].messages`, given: "messages", allowed: "prompt: a text or token ids" },
  ]);
}

interface CaptureJob {
  lens: Pick<Lens, "capture">;
  model: string;
  examples: readonly CheckedExample[];
  settings: CollectSettings;
  writer: DatasetWriter;
  onProgress: CollectOptions["onProgress"];
}

async function captureAll({
  lens,
  model,
  examples,
  settings,
  writer,
  onProgress,
}: CaptureJob): Promise<void> {
  const { layers, select, max_tokens, concurrency, signal } = settings;
  const reused = writer.nextExample;
  const total = examples.length;
  const report = (): void =>
    onProgress?.({ done: writer.nextExample, total, reused, rows: writer.rows, shards: writer.shards });
  report();
  try {
    await collectInOrder({
      from: reused,
      to: total,
      concurrency,
      signal,
      task: async (index) => {
        const example = examples[index] as CheckedExample & { prompt: string | number[] };
        const { id, prompt } = example;
        try {
          const request = { model, prompt, layers, max_tokens };
          const capture = await lens.capture(request, signal ? { signal } : {});
          return selectFromCapture(capture, { index, example }, select);
        } catch (error) {
          throw naming(error, id);
        }
      },
      deliver: async ({ rows, format }) => {
        await writer.add(rows, format);
        report();
      },
    });
  } catch (error) {
    await parkAfter(error, writer, signal);
    throw error;
  }
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

async function openFinished(folder: string, plan: Plan): Promise<ActivationDataset | undefined> {
  try {
    const dataset = await openDataset(folder);
    refuseOtherPlan(folder, dataset.manifest.origin, plan);
    return dataset;
  } catch (error) {
    const open =
      error instanceof DatasetError && ["not_a_dataset", "dataset_incomplete"].includes(error.code);
    if (!open) throw error;
    return undefined;
  }
}

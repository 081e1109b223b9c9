import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { openDataset, type ActivationDataset } from "../dataset/dataset-open.ts";
import { checkExamples, type Example } from "../examples/example.ts";
import { lockFolder } from "../files/file-lock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { planItems, type CollectionPlan } from "./collection-plan.ts";
import { makeCollection, type Collection } from "./collection.ts";
import type { CollectLens } from "./collect-lens.ts";
import { checkCollectOptions, type CollectOptions } from "./collect-options.ts";
import type { Plan } from "./dataset-plan.ts";
import { refuseOtherPlan } from "./dataset-resume.ts";
import { retryFailures } from "./retry-failures.ts";
import { runCollection } from "./run-collection.ts";
import { hasLeftovers, removeLeftovers } from "./run-leftovers.ts";

/**
 * Captures every example and writes the selected rows to `to`, in the order of the examples. A run that was stopped or
 * killed goes on where it was when it is called again with the same plan (model, checkpoint, examples, layers, selection,
 * max_tokens, server fingerprint); a finished dataset of the same plan is opened, its failed examples tried again; another plan is
 * refused, and takes what is the same from here by `reuse`.
 *
 * An example whose capture fails, after the client's own retries, is recorded (`dataset.failures()`), and the run goes on: until too
 * many fail, or by `failFast` until the first. What would fail every later request (a refused key, a spent budget), an abort, a full
 * disk and another checkpoint end it. What is captured up to there is kept.
 *
 * Where the lens has tested its server (`lens.selfTest`), the fingerprint goes into the dataset.
 *
 * Throws InvalidRequestError (examples, options), DatasetError (`dataset_differs`, `dataset_locked`, `capture_differs`,
 * `too_many_failures`, `no_rows`, `disk_full`, …), and whatever the lens throws, with the example's id put before the message.
 */
export async function collect(
  lens: CollectLens,
  examples: readonly Example[],
  options: CollectOptions,
): Promise<ActivationDataset> {
  const settings = checkCollectOptions(options);
  return runOrOpen(await makeCollection(lens, checkExamples(examples), settings));
}

/**
 * What `collect` will come to with the same options: nothing is captured and nothing written. Conversations are encoded, texts
 * counted where `countTokens` asks for it.
 */
export async function planCollection(
  lens: CollectLens,
  examples: readonly Example[],
  options: CollectOptions,
): Promise<CollectionPlan> {
  const settings = checkCollectOptions(options);
  const collection = await makeCollection(lens, checkExamples(examples), settings);
  const { items } = await collection.prepare(collection.examples, settings.to);
  const { model, select } = collection;
  return planItems({ lens, model, items, settings, select });
}

/** Opens what is finished, and collects what is not. */
export async function runOrOpen(collection: Collection): Promise<ActivationDataset> {
  const { plan, settings, examples } = collection;
  const { to, retryFailed } = settings;
  const isDone = async (dataset: ActivationDataset): Promise<boolean> =>
    !(retryFailed && dataset.manifest.failures) && !(await hasLeftovers(to));
  const there = await openFinished(to, plan);
  if (there && (await isDone(there))) return there;
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    let dataset = await openFinished(to, plan);
    if (dataset === undefined) {
      await runCollection(collection, { folder: to, examples });
      dataset = await openDataset(to);
    }
    if (retryFailed) await retryFailures(collection, dataset);
    else await removeLeftovers(to, dataset.manifest);
  } finally {
    await lock.release();
  }
  return openDataset(to);
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

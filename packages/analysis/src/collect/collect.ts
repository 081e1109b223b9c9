import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { openDataset, type ActivationDataset } from "../dataset/dataset-open.ts";
import { checkExamples, type Example } from "../examples/example.ts";
import { lockFolder } from "../files/file-lock.ts";
import { makeFolder } from "../files/make-folder.ts";
import { planItems, type CollectionPlan } from "./collection-plan.ts";
import { makeCollection, type Collection } from "./collection.ts";
import { collectionGoesOn } from "./collection-goes-on.ts";
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
  const { items } = await collection.prepare(collection.examples, settings.to, new Map());
  return planItems({ lens, model: collection.model, items, settings });
}

async function runOrOpen(collection: Collection): Promise<ActivationDataset> {
  const { to } = collection.settings;
  const there = await openIfDone(collection);
  if (there !== undefined) return there;
  await makeFolder(to).catch((error: unknown) => {
    throw fileError(error, to, "write");
  });
  const lock = await lockFolder(to);
  try {
    return await runLocked(collection);
  } catch (error) {
    throw collectionGoesOn(error, "the finished shards");
  } finally {
    await lock.release();
  }
}

/** The finished dataset, where nothing is left to do. */
export async function openIfDone({
  plan,
  settings: { to, retryFailed },
}: Pick<Collection, "plan" | "settings">): Promise<ActivationDataset | undefined> {
  const there = await openFinished(to, plan);
  if (there === undefined) return undefined;
  const isDone = !(retryFailed && there.manifest.failures) && !(await hasLeftovers(to));
  return isDone ? there : undefined;
}

/** Collects what is not there, and tries again what failed. The folder is locked. */
export async function runLocked(collection: Collection): Promise<ActivationDataset> {
  const { plan, settings, examples } = collection;
  const { to, retryFailed } = settings;
  let dataset = await openFinished(to, plan);
  if (dataset === undefined) {
    await runCollection(collection, { folder: to, examples });
    dataset = await openDataset(to);
  }
  if (retryFailed) await retryFailures(collection, dataset);
  else await removeLeftovers(to, dataset.manifest);
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

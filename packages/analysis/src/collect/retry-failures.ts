import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import { openDataset, type ActivationDataset } from "../dataset/dataset-open.ts";
import { makeFolder } from "../files/make-folder.ts";
import { warnOnce } from "../options/warn.ts";
import type { CollectFailure } from "./collect-failure.ts";
import type { Collection } from "./collection.ts";
import { readJournal } from "./dataset-journal.ts";
import type { PlannedExample } from "./dataset-plan.ts";
import { readFailures } from "./failures-file.ts";
import { replaceFailures, replaceShards } from "./replace-shards.ts";
import { runCollection } from "./run-collection.ts";
import { removeLeftovers } from "./run-leftovers.ts";

/** Where failed examples are collected before their rows are put among the others. */
const retryFolder = "retry";

/**
 * Tries the failed examples of a finished dataset again, those that failed before this call. What an aborted or killed retry left is
 * taken in first, and then what failed in it is tried again too. They are collected in a folder of their
 * own, so that a killed run loses nothing; then the shards from the first of them on are written anew with their rows in the order
 * of the examples, and the manifest takes the place of the old one. The dataset is whole all the time. The folder is locked.
 */
export async function retryFailures(collection: Collection, dataset: ActivationDataset): Promise<void> {
  const { folder, manifest } = dataset;
  await removeLeftovers(folder, manifest);
  if (manifest.failures === undefined) return;
  const before = await readFailures(folder, manifest.failures);
  const { given, began } = collection;
  const due = before.filter(({ index, time }) => time < began && !given.has(index));
  const recorded = new Set(before.map(({ index, time }) => `${index} ${time}`));
  const isNew = [...given.values()].some(({ index, time }) => !recorded.has(`${index} ${time}`));
  if (due.length === 0 && !isNew) return;
  const path = join(folder, retryFolder);
  const found = due.length > 0 ? await collectAgain(collection, path, due) : nothing;
  // Not all were tried: what there is waits for the next call.
  if (found === undefined) return;
  const now = new Map([...found.failures.map((one) => [one.index, one] as const), ...given]);
  const failures = before
    .filter(({ index }) => !found.recovered.has(index))
    .map((failure) => now.get(failure.index) ?? failure);
  if (found.rows === undefined) await replaceFailures(folder, manifest, failures);
  else {
    const missing = new Set(before.map(({ index }) => index));
    const { examples, settings, columns } = collection;
    const { shardRows, signal } = settings;
    const { recovered, rows } = found;
    const total = examples.length;
    const put = { rows, recovered, missing, failures, total, columns, shardRows, signal };
    await replaceShards(dataset, put).catch(async (error: unknown) => {
      // Rows of another checkpoint will never go in.
      if ((error as { code?: unknown }).code === "capture_differs") await rm(path, { recursive: true });
      throw error;
    });
  }
  await rm(path, { recursive: true, force: true });
  const isOfBefore = found.failures.some(({ time }) => time < began);
  if (isOfBefore) await retryFailures(collection, await openDataset(folder));
}

/** What came of trying again. */
interface Found {
  /** The rows of those that went well, in the order of the examples. */
  rows: ActivationDataset | undefined;
  /** Their indices in all examples. */
  recovered: ReadonlySet<number>;
  failures: readonly CollectFailure[];
}
const nothing: Found = { rows: undefined, recovered: new Set(), failures: [] };

/** Undefined where the run ended before all were tried. */
async function collectAgain(
  collection: Collection,
  path: string,
  due: readonly CollectFailure[],
): Promise<Found | undefined> {
  const examples = due.map(({ index }) => collection.examples[index] as PlannedExample);
  const inAll = (failure: CollectFailure): CollectFailure => {
    const { index, attempts } = due[failure.index] as CollectFailure;
    return { ...failure, index, attempts: attempts + failure.attempts };
  };
  const hash = collection.planOf(examples).hash;
  const isOurs = (plan: { hash: string } | undefined): boolean => plan?.hash === hash;
  const rows = await openRetried(path);
  if (rows?.manifest.origin.kind !== "collected" || !isOurs(rows.manifest.origin.plan)) {
    const journal = rows === undefined ? await readJournal(path).catch(() => undefined) : undefined;
    // Of other examples: what failed has changed since.
    if (!isOurs(journal?.plan)) await rm(path, { recursive: true, force: true });
    await makeFolder(path);
    const { onProgress: _, onPlan: __, ...settings } = collection.settings;
    const part: Collection = {
      ...collection,
      given: new Map(),
      settings: { ...settings, to: path, failFast: false },
    };
    try {
      await runCollection(part, { folder: path, examples, keepFailures: true });
    } catch (error) {
      if (!(error instanceof DatasetError)) throw error;
      if (error.code === "too_many_failures") return stopped(collection.settings.to, error);
      if (error.code !== "no_rows") throw error;
      const failures = (await readJournal(path))?.failures ?? [];
      return { ...nothing, failures: failures.map(inAll) };
    }
  }
  const again = await openDataset(path);
  const failed = again.manifest.failures ? await readFailures(path, again.manifest.failures) : [];
  const lost = new Set(failed.map(({ index }) => index));
  const recovered = due.flatMap(({ index }, i) => (lost.has(i) ? [] : [index]));
  return { rows: again, recovered: new Set(recovered), failures: failed.map(inAll) };
}

/** The dataset is whole without them: what is left of the failures is no error, but is told. */
function stopped(folder: string, { found }: DatasetError): undefined {
  warnOnce(
    "retry_stopped",
    `${folder}: trying failed examples again stopped: ${found}. The next call goes on there; retryFailed: false leaves them alone, and ` +
      "maxFailures states another limit.",
  );
}

/** A run before may have been stopped when all were tried. */
function openRetried(path: string): Promise<ActivationDataset | undefined> {
  return openDataset(path).catch((error: unknown) => {
    if (error instanceof DatasetError) return undefined;
    throw error;
  });
}

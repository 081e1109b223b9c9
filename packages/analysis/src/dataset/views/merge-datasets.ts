import { basename, resolve } from "node:path";
import { z } from "zod";
import type { CollectFailure } from "../../collect/collect-failure.ts";
import { checkPath } from "../../options/check-path.ts";
import { shown } from "../../options/shown.ts";
import type { ColumnValue } from "../../shards/column-field.ts";
import { openDataset, type ActivationDataset } from "../dataset-open.ts";
import type { RowSource } from "../row-source.ts";
import { writeDataset, type WriteDatasetOptions } from "../write-dataset.ts";
import { appendRows, type AppendedPart } from "./append-rows.ts";
import { pickRows } from "./pick-rows.ts";
import { badOption, checkViewOptions, writingSchema } from "./view-parts.ts";

export interface MergeOptions extends Pick<WriteDatasetOptions, "signal" | "onProgress" | "shardRows"> {
  /** Puts each folder's name before the ids of its examples. Without it, an example id that two datasets have is refused. */
  prefix?: boolean;
  /**
   * Puts it before the names of groups, too. Without it, groups of one name are one group: no split parts them; but a group that is
   * one example of the same name, as where none was given, follows the example's id.
   */
  prefixGroups?: boolean;
}

const schema = { prefix: z.boolean().optional(), prefixGroups: z.boolean().optional(), ...writingSchema };

/**
 * Writes the rows of several datasets, bit for bit, as one dataset, shard by shard. They must be of one model and checkpoint, of the
 * same layers, width, number type and chat template, and columns of one name of one type. Failures are carried, but for examples
 * that another of the datasets has rows of; of an example that failed in several the last failure, with all attempts.
 * Throws DatasetError: `sources_differ` with the first difference, `example_clash`, and what reading and writing throw.
 */
export async function mergeDatasets(
  folders: readonly string[],
  to: string,
  options: MergeOptions = {},
): Promise<ActivationDataset> {
  checkViewOptions("merge", options, schema);
  checkPath(to, "to");
  const { prefix = false, prefixGroups = false, ...writing } = options;
  checkFolders(folders);
  const prefixes = prefix ? prefixesOf(folders) : folders.map(() => "");
  const parts: AppendedPart[] = [];
  const failures: CollectFailure[] = [];
  let before = 0;
  for (const [i, folder] of folders.entries()) {
    const source = await openDataset(folder);
    const own = prefixes[i] as string;
    parts.push({ source, lineage: source.lineage, prefix: own, prefixGroups });
    const failed = await source.failures();
    failures.push(
      ...failed.map((one) => ({ ...one, example: `${own}${one.example}`, index: before + one.index })),
    );
    before += source.manifest.examples + failed.length;
  }
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0)
    throw badOption("merge.folders", `${folders.length} folders`, "two or more");
  const { source, lineage } = await appendRows([first, ...others]);
  const how = prefix ? `merge with the prefixes ${prefixes.join(", ")}` : "merge";
  const left = await withoutRows(source, onePerExample(failures));
  const { from, about } = lineage;
  return writeDataset(to, source, { ...writing, how, from, about, failures: left });
}

function checkFolders(folders: unknown): void {
  if (!Array.isArray(folders)) throw badOption("merge.folders", shown(folders), "a list of folders");
}

/** Of an example that failed in several datasets the last failure, in the place of the first; attempts are those of all. */
function onePerExample(failures: readonly CollectFailure[]): CollectFailure[] {
  const byExample = new Map<string, CollectFailure>();
  for (const failure of failures) {
    const before = byExample.get(failure.example);
    const last = before !== undefined && before.time > failure.time ? before : failure;
    byExample.set(failure.example, {
      ...last,
      index: before?.index ?? failure.index,
      attempts: failure.attempts + (before?.attempts ?? 0),
    });
  }
  return [...byExample.values()];
}

/** Failures of examples that none of the datasets has rows of: the others were mended by a later collection. */
async function withoutRows(
  source: RowSource,
  failures: readonly CollectFailure[],
): Promise<readonly CollectFailure[]> {
  if (failures.length === 0) return failures;
  const failed = new Set<ColumnValue>(failures.map(({ example }) => example));
  for await (const block of pickRows(source, { columns: ["example"], layers: [] }))
    for (const example of block.columns.get("example") ?? []) failed.delete(example);
  return failures.filter(({ example }) => failed.has(example));
}

function prefixesOf(folders: readonly string[]): string[] {
  const names = folders.map((folder) => `${basename(resolve(folder))}/`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice === undefined) return names;
  throw badOption(
    "merge.folders",
    `two folders named ${twice.slice(0, -1)}`,
    "folders of different names, since these become the prefixes",
  );
}

import { basename } from "node:path";
import { z } from "zod";
import { filterRows, takeRows } from "./filter-rows.ts";
import { appendRows } from "./append-rows.ts";
import { joinRows, type JoinOptions } from "./join-rows.ts";
import type { JoinRow } from "./join-table.ts";
import {
  columnConditions,
  functionCondition,
  type ColumnConditions,
  type RowValues,
} from "./row-condition.ts";
import { selectColumns, type SelectOptions } from "./select-columns.ts";
import {
  badOption,
  checkViewOptions,
  writingSchema,
  type ViewLineage,
  type ViewParts,
} from "./view-parts.ts";
import { shown } from "../../options/shown.ts";
import type { ActivationDataset } from "../dataset-open.ts";
import { checkedSource } from "../checked-source.ts";
import { sourceName } from "../example-order.ts";
import type { RowSource } from "../row-source.ts";
import type { WriteDatasetOptions } from "../write-dataset.ts";

export interface AppendOptions {
  /** Put before the ids of the appended examples, so that they clash with none. */
  prefix?: string;
  /** Also before the names of their groups. Without it, groups of one name are one group: no split parts them. */
  prefixGroups?: boolean;
}

const appendSchema = { prefix: z.string().optional(), prefixGroups: z.boolean().optional() };

/** What makes a view of rows. Nothing is read until the view is awaited, or written. */
export interface ViewMethods {
  /** Rows by values: `filter({ split: "train", truth: true, topic: ["a", "b"] })`. */
  filter(values: ColumnConditions): PendingView;
  /** Rows by a function of some columns; `words` says in the written dataset what it does. */
  filter(columns: readonly string[], keep: (row: RowValues) => boolean, words?: string): PendingView;
  /** Some layers and columns; `example` and `group` stay. */
  select(options: SelectOptions): PendingView;
  /** Columns of a table, by a key: the example, or another column. */
  join(table: readonly JoinRow[], options?: JoinOptions): PendingView;
  /** Rows of another source below these: same width, number type and layers; a column that one lacks is null there. */
  append(other: RowSource | PromiseLike<RowSource>, options?: AppendOptions): PendingView;
  /** The first rows. */
  take(rows: number): PendingView;
  /** Writes the rows as a dataset of their own. Throws DatasetError. */
  write(
    to: string,
    options?: Pick<WriteDatasetOptions, "signal" | "onProgress" | "shardRows">,
  ): Promise<ActivationDataset>;
}

/** Rows of a dataset, seen otherwise. Each read reads what it returns, and only that. */
export interface DatasetView extends RowSource, ViewMethods {
  readonly lineage: ViewLineage;
}

/** A view that was not read yet: `await` makes it one whose rows are known. Errors come when it is awaited. */
export interface PendingView extends ViewMethods, PromiseLike<DatasetView> {}

/** Any source of rows with the methods that make views of it. */
export function viewOf(source: RowSource): DatasetView {
  const lineage = lineageOf(source);
  return viewFrom({ source: checkedSource(source), lineage });
}

/** The methods, for a source that is already there or still to come. */
export function viewMethods(parts: () => Promise<ViewParts>): ViewMethods {
  const then = (make: (before: ViewParts) => ViewParts | Promise<ViewParts>): PendingView =>
    pending(async () => make(await parts()));
  return {
    filter: (
      given: ColumnConditions | readonly string[],
      keep?: (row: RowValues) => boolean,
      words?: string,
    ): PendingView =>
      then((before) => {
        const { source, lineage } = before;
        if (words !== undefined && typeof words !== "string")
          throw badOption("filter.words", typeof words, "a text that says what the function does");
        if (keep !== undefined && !isNames(given))
          throw badOption("filter", "values and a function", "values, or names of columns and a function");
        const of = { source, name: lineage.name, words };
        const condition = isNames(given)
          ? functionCondition(given, keep as (row: RowValues) => boolean, of)
          : columnConditions(given, of);
        return filterRows(before, condition);
      }),
    select: (options) => then((before) => selectColumns(before, options)),
    join: (table, options = {}) => then((before) => joinRows(before, table, options)),
    append: (other, options = {}) =>
      then(async (before) => {
        checkViewOptions("append", options, appendSchema);
        const { prefix = "", prefixGroups = false } = options;
        const source = await other;
        return appendRows([
          { ...before, prefix: "", prefixGroups: false },
          { source: checkedSource(source), lineage: lineageOf(source), prefix, prefixGroups },
        ]);
      }),
    take: (rows) => then((before) => takeRows(before, rows)),
    async write(to, options = {}) {
      checkViewOptions("write", options, writingSchema);
      const { source, lineage } = await parts();
      // Loaded here, since what opens a dataset gives it these methods.
      const { writeDataset } = await import("../write-dataset.ts");
      const { how, from, about } = lineage;
      // With its name, for what is wrong with its rows.
      const named = { ...source, lineage };
      return writeDataset(to, named, { ...options, how: how.join("; ") || "copy", from, about });
    },
  };
}

function isNames(given: ColumnConditions | readonly string[]): given is readonly string[] {
  return Array.isArray(given);
}

function pending(make: () => Promise<ViewParts>): PendingView {
  let made: Promise<ViewParts> | undefined;
  const parts = (): Promise<ViewParts> => (made ??= make());
  return {
    ...viewMethods(parts),
    then: (fulfilled, rejected) => parts().then(viewFrom).then(fulfilled, rejected),
  };
}

function viewFrom({ source, lineage }: ViewParts): DatasetView {
  return { ...source, ...viewMethods(() => Promise.resolve({ source, lineage })), lineage };
}

function lineageOf(source: RowSource): ViewLineage {
  if (typeof source !== "object" || (source as unknown) === null || !("rows" in source))
    throw badOption("source", shown(source), "a source of rows");
  if ("lineage" in source) return (source as DatasetView).lineage;
  const { path, about = {} } = source as { path?: string; about?: ViewLineage["about"] };
  const how = [path === undefined ? "rows in memory" : `rows of ${basename(path)}`];
  return { name: sourceName(source), how, from: [], about, notes: [] };
}

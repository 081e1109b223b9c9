import type { ColumnValue, DatasetManifest } from "@residua/analysis";
import { ExplorerError } from "../explorer-error.ts";
import { layerValues } from "../run/layer-values.ts";
import type { RunDataset } from "../run/run-dataset.ts";
import type { Scorer } from "../scorers/scorer.ts";
import { recent, type Recent } from "./recent.ts";

export const rowOrders = ["row", "high", "low"] as const;
/** As they stand, or by score, the highest or the lowest first. */
export type RowOrder = (typeof rowOrders)[number];

export interface RowsAsked {
  /** Keep rows whose value in this column, as text, is this. */
  readonly filter: { readonly column: string; readonly value: string } | null;
  readonly order: RowOrder;
  readonly scores: Float64Array | null;
  /** From 1. */
  readonly page: number;
  readonly pageRows: number;
}

/** One page of the rows that are left. */
export interface RowsPage {
  /** Row numbers. */
  readonly rows: readonly number[];
  /** Rows that the filter leaves. */
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** Scores of all rows of a dataset at one layer, by row. */
export interface RowScores {
  readonly scores: Float64Array;
  readonly threshold: number;
}

const kept = new WeakMap<RunDataset, Recent<RowScores>>();

/** Turning a page reads the layer not again. Throws ProbeError, DatasetError and ExplorerError `wrong_model`. */
export async function scoreRows(
  chosen: RunDataset,
  scorer: Scorer,
  layer: number,
  signal: AbortSignal,
): Promise<RowScores> {
  const own = kept.get(chosen) ?? recent<RowScores>(4);
  kept.set(chosen, own);
  const key = JSON.stringify([scorer.id, layer]);
  const scores = own.get(key) ?? (await scoreAll(chosen, scorer, layer, signal));
  own.set(key, scores);
  return scores;
}

async function scoreAll(
  { dataset }: RunDataset,
  scorer: Scorer,
  layer: number,
  signal: AbortSignal,
): Promise<RowScores> {
  const at = await scorer.at(layer);
  const { hiddenSize, layers, manifest, rows } = dataset;
  const fault = mismatch(at, { hiddenSize, layers, model: manifest.model, layer });
  if (fault !== null)
    throw new ExplorerError("wrong_model", `${scorer.name}: ${fault}: choose another probe or dataset.`);
  const scores = new Float64Array(rows);
  for await (const { first, values } of layerValues(dataset, layer)) {
    signal.throwIfAborted();
    scores.set(at.score(values), first);
  }
  const threshold = at.threshold ?? scores.reduce((sum, score) => sum + score, 0) / rows;
  return { scores, threshold };
}

function mismatch(
  { width, model }: { width: number; model: string | null },
  rows: { hiddenSize: number; layers: readonly number[]; model: DatasetManifest["model"]; layer: number },
): string | null {
  if (!rows.layers.includes(rows.layer))
    return `the dataset has layers ${rows.layers.join(", ")}, and not ${rows.layer}`;
  if (width !== rows.hiddenSize)
    return `it reads rows of ${width} numbers, and the dataset's have ${rows.hiddenSize}`;
  if (model !== null && rows.model !== null && model !== rows.model)
    return `it was made on ${model}, and the dataset is of ${rows.model}`;
  return null;
}

/** Filtered, then ordered (rows of one score as they stand), then cut into pages. A page beyond the last is the last. */
export function pageOfRows(count: number, column: readonly ColumnValue[] | null, asked: RowsAsked): RowsPage {
  const { filter, order, scores, pageRows } = asked;
  const kept: number[] = [];
  for (let row = 0; row < count; row++) {
    if (filter === null || column === null || valueText(column[row] ?? null) === filter.value) kept.push(row);
  }
  if (scores !== null && order !== "row") {
    const sign = order === "high" ? -1 : 1;
    kept.sort((a, b) => sign * (scores[a]! - scores[b]!) || a - b);
  }
  const pages = Math.max(1, Math.ceil(kept.length / pageRows));
  const page = Math.min(Math.max(1, asked.page), pages);
  return { rows: kept.slice((page - 1) * pageRows, page * pageRows), total: kept.length, page, pages };
}

/** A value as the page shows it and as a filter names it; null is "–". */
export function valueText(value: ColumnValue): string {
  return value === null ? "–" : String(value);
}

/** Values of a column, the most frequent first, as many as `most`. */
export function commonValues(
  column: readonly ColumnValue[],
  most: number,
): { value: string; rows: number }[] {
  const counts = new Map<string, number>();
  for (const value of column) counts.set(valueText(value), (counts.get(valueText(value)) ?? 0) + 1);
  return [...counts]
    .map(([value, rows]) => ({ value, rows }))
    .sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1))
    .slice(0, most);
}

import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { ColumnValue } from "../../shards/column-field.ts";
import { checkedSource } from "../checked-source.ts";
import type { RowSource } from "../row-source.ts";
import { eachExampleRow } from "../views/example-runs.ts";
import { BosRows } from "./bos-rows.ts";
import { LabelCounts } from "./count-values.ts";
import { descriptionSchemaVersion, type DatasetDescription } from "./description-schema.ts";
import { summarise } from "./quantiles.ts";
import { RowHashes } from "./row-hashes.ts";
import { scanLayer } from "./scan-layer.ts";

export interface DescribeOptions {
  /** Id of the beginning-of-text token. Default: the token that every example begins with, where there is one. */
  bosTokenId?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { layer: number; done: number; total: number }) => void;
}

export const describeSchema = {
  bosTokenId: z.int().min(0).optional(),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom((value) => typeof value === "function", "a function").optional(),
};

/**
 * Counts, positions, label balance, group sizes, and for each layer norms, outlier dimensions and what is not finite. Reads every
 * number once, in row blocks; memory grows by some 16 bytes a row, and with the numbers of distinct examples and groups.
 */
export async function describe(given: RowSource, options: DescribeOptions = {}): Promise<DatasetDescription> {
  const { signal, onProgress } = options;
  checkOptions(z.strictObject(describeSchema), options, "describe options");
  const source = checkedSource(given);
  const columns = await describeColumns(source, options.bosTokenId);
  const hashes = new RowHashes(source.rows);
  const layers: DatasetDescription["layers"] = [];
  for (const layer of source.layers) {
    signal?.throwIfAborted();
    layers.push(await scanLayer(source, layer, hashes));
    onProgress?.({ layer, done: layers.length, total: source.layers.length });
  }
  const repeated = hashes.repeated();
  return {
    schemaVersion: descriptionSchemaVersion,
    kind: "dataset-description",
    rows: source.rows,
    hiddenSize: source.hiddenSize,
    dtype: source.dtype,
    ...columns,
    repeatedRows: { rows: repeated, share: source.rows === 0 ? null : repeated / source.rows },
    layers,
  };
}

type ColumnsPart = Omit<
  DatasetDescription,
  "schemaVersion" | "kind" | "rows" | "hiddenSize" | "dtype" | "repeatedRows" | "layers"
>;

async function describeColumns(source: RowSource, bosTokenId: number | undefined): Promise<ColumnsPart> {
  const standard = ["example", "group", "split", "position", "token_id", "token_ids", "prompt_length"];
  const present = standard.filter((name) => source.columns.includes(name));
  const labels = source.fields.filter(({ role }) => role === "label");
  const counters = labels.map((field) => new LabelCounts(field));
  const at = new Map([...present, ...labels.map(({ name }) => name)].map((name, i) => [name, i]));

  const groups = new Map<ColumnValue, { rows: number; examples: number }>();
  const splits = new Map<string, number>();
  const rowsOf = new Map<ColumnValue, number>();
  const positions: number[] = [];
  const lengths: number[] = [];
  const bos = new BosRows(bosTokenId);
  let isExample = true;
  let missingPositions = 0;

  for await (const { values } of eachExampleRow(source, [...at.keys()])) {
    const value = (name: string): ColumnValue => values[at.get(name) ?? -1] ?? null;
    const [example, group, position] = [value("example"), value("group"), value("position") as number | null];
    const isNewExample = !rowsOf.has(example);
    rowsOf.set(example, (rowsOf.get(example) ?? 0) + 1);
    const size = groups.get(group) ?? { rows: 0, examples: 0 };
    groups.set(group, size);
    size.rows++;
    if (group !== example) isExample = false;
    const split = String(value("split") ?? "");
    splits.set(split, (splits.get(split) ?? 0) + 1);
    if (position === null) missingPositions++;
    else positions.push(position);
    const token = value("token_id") as number | null;
    bos.addRow(token, position);
    counters.forEach((counter, i) =>
      counter.add(values[present.length + i] ?? null, { split, isNewExample }),
    );
    if (!isNewExample) continue;
    size.examples++;
    const ids = value("token_ids") as readonly number[] | null;
    bos.addExample(ids?.[0] ?? (position === 0 ? token : null));
    const length = value("prompt_length") as number | null;
    if (length !== null) lengths.push(length);
  }

  const sizes = [...groups.values()];
  const summaryOf = (numbers: readonly number[]) => summarise(Float64Array.from(numbers));
  return {
    examples: rowsOf.size,
    groups: {
      count: groups.size,
      isExample,
      rows: summaryOf(sizes.map(({ rows }) => rows)),
      examples: summaryOf(sizes.map(({ examples }) => examples)),
    },
    rowsPerExample: summaryOf([...rowsOf.values()]),
    splits: Object.fromEntries(splits),
    positions: { missing: missingPositions, summary: summaryOf(positions) },
    promptLengths: summaryOf(lengths),
    bos: bos.health(source.rows),
    labels: counters.map((counter) => counter.health()),
  };
}

import { describe, openDataset, type DatasetDescription } from "@residua/analysis";
import { percent } from "./numbers.ts";
import { alignColumns } from "./output.ts";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua dataset describe` and `residua dataset lint`. */
export interface DatasetHealthOptions {
  dataset: string;
  bosTokenId?: number;
}

/** `residua dataset describe`: what a dataset holds. */
export async function describeDataset(
  { dataset, bosTokenId }: DatasetHealthOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  const description = await describe(await openDataset(dataset), {
    signal,
    ...(bosTokenId !== undefined && { bosTokenId }),
    onProgress: ({ done, total }) => output.count("layers", done, total),
  });
  output.result(description, `${dataset}\n${descriptionText(description)}`);
}

/** A description for a reader: facts, labels, layers. */
export function descriptionText(description: DatasetDescription): string {
  return [facts(description), labels(description), layers(description)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function facts(description: DatasetDescription): string {
  const { rows, examples, groups, hiddenSize, dtype, splits, positions, promptLengths, bos, repeatedRows } =
    description;
  const splitCounts = Object.entries(splits).map(([name, count]) => `${name || "(none)"} ${count}`);
  const pairs: [string, string][] = [
    ["rows", `${rows} of ${hiddenSize} ${dtype} numbers at ${description.layers.length} layers`],
    ["examples", `${examples}, of ${range(description.rowsPerExample)} rows`],
    ["groups", groups.isExample ? "none given" : `${groups.count}, of ${range(groups.examples)} examples`],
    ["splits", splitCounts.join(", ")],
    ["positions", positions.summary === null ? "none (pooled rows)" : range(positions.summary)],
    ["prompt tokens", range(promptLengths)],
    [
      "at first token",
      bos.tokenId === null
        ? `not known: ${bos.source}`
        : `${bos.rows} rows of token ${bos.tokenId} (${percent(bos.share ?? 0)})`,
    ],
    ["repeated rows", `${repeatedRows.rows} (${percent(repeatedRows.share ?? 0)})`],
  ];
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

type Summary = DatasetDescription["promptLengths"];

function range(summary: Summary): string {
  if (summary === null) return "not known";
  const { min, max, quantiles } = summary;
  return min === max ? String(min) : `${min} to ${max} (median ${quantiles.p50})`;
}

function labels({ labels, splits, rows }: DatasetDescription): string {
  if (labels.length === 0) return "";
  const names = Object.keys(splits).length > 1 ? Object.keys(splits) : [];
  const header = [
    "label",
    "value",
    "rows",
    "examples",
    "share",
    ...names.map((name) => name || "(no split)"),
  ];
  const lines = labels.flatMap((label) => {
    if (label.numbers !== null && label.distinct > 20) {
      const { mean, sd } = label.numbers;
      return [[label.name, `${label.distinct} numbers: mean ${short(mean)}, sd ${short(sd)}`]];
    }
    return label.values.map(({ value, rows: count, examples }, i) => [
      i === 0 ? label.name : "",
      value === null ? "(none)" : value === "" ? '""' : String(value),
      String(count),
      String(examples),
      percent(count / rows),
      ...names.map((name) => String(label.splits[name]?.find((one) => one.value === value)?.rows ?? 0)),
    ]);
  });
  return alignColumns([header, ...lines]);
}

function layers({ layers }: DatasetDescription): string {
  const header = [
    "layer",
    "norm: median",
    "mean",
    "sd",
    "min",
    "max",
    "outlier dims",
    "massive",
    "constant",
    "not finite",
  ];
  const lines = layers.map(({ layer, norms, outliers, massive, constant, nonFinite }) => [
    String(layer),
    ...(norms === null
      ? ["–", "–", "–", "–", "–"]
      : [norms.quantiles.p50, norms.mean, norms.sd, norms.min, norms.max].map(short)),
    outliers.count === 0
      ? "0"
      : `${outliers.count} (${outliers.dimensions
          .slice(0, 3)
          .map(({ dimension }) => dimension)
          .join(", ")}${outliers.count > 3 ? ", …" : ""})`,
    String(massive.count),
    String(constant.count),
    String(nonFinite.rows),
  ]);
  return alignColumns([header, ...lines]);
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

import {
  exportRows,
  importDataset,
  importRows,
  openDataset,
  rowsHash,
  type ColumnMap,
  type ExportRowsOptions,
  type ImportRowsOptions,
  type RowFormat,
  type RowSource,
} from "@residua/analysis";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CheckFailedError } from "./check-failed-error.ts";
import { parseLayers } from "./numbers.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** Options of `residua dataset convert`. */
export interface ConvertOptions {
  source: string;
  to: RowFormat | "dataset";
  out: string;
  numbers?: ExportRowsOptions["numbers"];
  compression?: ExportRowsOptions["compression"];
  map?: string;
  columns?: string;
  axis?: string;
  dtype?: ImportRowsOptions["dtype"];
  bits?: boolean;
  round?: boolean;
  unchecked?: boolean;
  replace?: boolean;
  verify?: boolean;
}

/** `residua dataset convert`: a dataset as a file of another format, or the other way. */
export async function convertDataset(options: ConvertOptions, context: CommandContext): Promise<void> {
  const { source: path, to, out, verify = false } = options;
  const isDataset = existsSync(join(path, "dataset.json"));
  const reading = readingOptions(options);
  if (isDataset && Object.keys(reading).length > 0) {
    throw new UsageError(`--${Object.keys(reading)[0]} is for files that are no dataset`);
  }
  const source: RowSource = isDataset ? await openDataset(path) : await importRows(path, reading);
  if (to === "dataset") await toDataset(isDataset, options, reading, context);
  else await exportRows(source, out, writingOptions(options, to, context));
  const { rows, layers, hiddenSize, dtype } = source;
  const data = { out, format: to, rows, layers, hiddenSize, dtype };
  const hash = verify ? await checkSame(source, options) : undefined;
  context.output.result(
    { ...data, ...(hash !== undefined && { rowsHash: hash }) },
    `${out}: ${rows} rows, layers ${layers.join(", ")}, hidden size ${hiddenSize}, ${dtype}` +
      (hash === undefined ? "" : `\ncopy read again: every row is the source's (rows hash ${hash})`),
  );
}

async function toDataset(
  isDataset: boolean,
  { source, out, replace }: ConvertOptions,
  reading: ImportRowsOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  if (isDataset) throw new UsageError(`${source} is a dataset already: choose another --to`);
  if (replace === true) throw new UsageError("a dataset is never written over: choose a new --out");
  const onProgress = ({ rows, total }: { rows: number; total: number }): void =>
    output.count("rows", rows, total);
  await importDataset(source, out, { ...reading, signal, onProgress });
}

function writingOptions(
  { numbers, compression, replace }: ConvertOptions,
  format: RowFormat,
  { signal }: CommandContext,
): ExportRowsOptions {
  return {
    format,
    signal,
    ...(numbers && { numbers }),
    ...(compression && { compression }),
    ...(replace !== undefined && { replace }),
  };
}

function readingOptions({
  map,
  columns,
  axis,
  dtype,
  bits,
  round,
  unchecked,
}: ConvertOptions): ImportRowsOptions {
  const mapped = map === undefined ? undefined : parseMap(map);
  return {
    ...(mapped && { map: mapped }),
    ...(columns !== undefined && { columns }),
    ...(axis !== undefined && { axis: parseAxis(axis) }),
    ...(dtype && { dtype }),
    ...(bits !== undefined && { bits }),
    ...(round !== undefined && { round }),
    ...(unchecked !== undefined && { unchecked }),
  };
}

function parseAxis(text: string): number[] {
  const layers = parseLayers(text);
  if (layers === "all") throw new UsageError("--axis names each layer, such as 8,16");
  return layers;
}

const standard = [
  ...["example", "group", "split", "position", "token_id"],
  ...["token", "role", "text", "token_ids", "prompt_length"],
] as const;

/** `example=id,label=truth,layer_16=embedding`: what of a dataset each column of the file is. */
export function parseMap(text: string): ColumnMap {
  const layers: Record<number, string> = {};
  const labels: string[] = [];
  const leaveOut: string[] = [];
  const columns: Record<string, string> = {};
  for (const part of text.split(",")) {
    const at = part.indexOf("=");
    const [what, column] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    const layer = /^layer_(-?\d+)$/.exec(what)?.[1];
    if (at < 1 || column === "") throw badMap(part);
    if (layer !== undefined) layers[Number(layer)] = column;
    else if (what === "label") labels.push(column);
    else if (what === "leave_out") leaveOut.push(column);
    else if (standard.some((name) => name === what)) columns[what] = column;
    else throw badMap(part);
  }
  return {
    ...columns,
    ...(Object.keys(layers).length > 0 && { layers }),
    ...(labels.length > 0 && { labels }),
    ...(leaveOut.length > 0 && { leaveOut }),
  };
}

function badMap(part: string): UsageError {
  const allowed = `label, leave_out, layer_L, ${standard.join(", ")}`;
  return new UsageError(
    `--map has ${JSON.stringify(part)}; each part is WHAT=COLUMN, where WHAT is one of ${allowed}`,
  );
}

/** Reads the new file and compares its rows with those it was made of. */
async function checkSame(source: RowSource, { out, to }: ConvertOptions): Promise<string> {
  const written = to === "dataset" ? await openDataset(out) : await importRows(out, { format: to });
  const [before, after] = [await rowsHash(source), await rowsHash(written)];
  if (before === after) return after;
  throw new CheckFailedError(
    `${out} does not hold the rows it was made of (rows hash ${after}, not ${before})`,
  );
}

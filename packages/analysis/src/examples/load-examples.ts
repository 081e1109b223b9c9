import { FormatError } from "@residua/lens";
import { access, constants, stat } from "node:fs/promises";
import { extname } from "node:path";
import { checkPath } from "../options/check-path.ts";
import type { Example } from "./example.ts";
import { checkLoadOptions, type LoadExamplesOptions, type LoadSettings } from "./load-options.ts";
import { makeExamples } from "./make-examples.ts";
import { mapColumns } from "./map-columns.ts";
import { readArrow } from "./read/read-arrow.ts";
import { readCsv } from "./read/read-csv.ts";
import { readInspect } from "./read/read-inspect.ts";
import { readJsonl } from "./read/read-jsonl.ts";
import { readParquet } from "./read/read-parquet.ts";
import type { SourceTable } from "./read/source-table.ts";

/**
 * Examples of a file: JSON lines, CSV, Parquet, Arrow IPC, or a log of Inspect. Nothing is dropped in silence: every column is the prompt, a
 * label, an extra column or named as left out, every row an example. Whole numbers beyond 2^53 become texts.
 *
 * Throws InvalidRequestError (options; rows, with line and column, at most twenty faults) and FormatError (the file as a whole).
 */
export async function loadExamples(file: string, options: LoadExamplesOptions = {}): Promise<Example[]> {
  checkPath(file, "file");
  const settings = checkLoadOptions(file, options);
  await checkReadable(file);
  const table = await readTable(file, settings);
  if (table.rows.length === 0) throw new FormatError("format_invalid", `${file} holds no examples`, { file });
  return makeExamples(table, mapColumns(table, settings), settings);
}

async function checkReadable(file: string): Promise<void> {
  const found = await access(file, constants.R_OK)
    .then(() => stat(file))
    .catch((cause: NodeJS.ErrnoException) => {
      const problem = `${file} cannot be read (${cause.code ?? cause.message})`;
      throw new FormatError("format_missing", problem, { file }, { cause });
    });
  if (found.isDirectory())
    throw new FormatError("format_invalid", `${file} is a folder, not a file: name one of its files`, {
      file,
    });
}

function readTable(file: string, settings: LoadSettings): Promise<SourceTable> {
  const { format, delimiter, take } = settings;
  switch (format) {
    case "jsonl":
      return readJsonl(file);
    case "csv":
      return readCsv(file, delimiter ?? (extname(file).toLowerCase() === ".tsv" ? "\t" : ","));
    case "parquet":
      return readParquet(file, wantedColumns(settings));
    case "arrow":
      return readArrow(file, wantedColumns(settings));
    case "inspect":
      return readInspect(file, take);
  }
}

/** The columns that can be part of an example; undefined where all are, since extra ones are not named. */
function wantedColumns({
  columns: { labels = ["label", "labels"], extra, ...single },
}: LoadSettings): Set<string> | undefined {
  if (extra === undefined) return undefined;
  const byName = ["prompt", "text", "token_ids", "messages", "id", "group", "split"];
  const named = Object.values(single).filter((name) => name !== undefined);
  return new Set([...byName, ...named, ...Object.values(labels), ...Object.values(extra)]);
}

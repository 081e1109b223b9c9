import { FormatError } from "@residua/lens";
import { type CsvError, type Info, parse } from "csv-parse/sync";
import { readFile, stat } from "node:fs/promises";
import { decodeText, withoutMark } from "./read-lines.ts";
import { makeRowFaults } from "./row-faults.ts";
import type { Cell, SourceRow, SourceTable } from "./source-table.ts";

const largest = 2 ** 28;

/**
 * CSV as RFC 4180 has it, with a header; quoted cells may hold line ends. A cell of nothing is null, a quoted one ("") the empty text; an
 * empty line is no row. Throws FormatError, InvalidRequestError.
 */
export async function readCsv(file: string, delimiter: string): Promise<SourceTable> {
  const { size } = await stat(file);
  if (size > largest) {
    throw new FormatError(
      "format_too_large",
      `${file} has ${size} bytes; CSV is read up to ${largest}. Convert it to Parquet or JSON lines`,
      { file },
    );
  }
  const records = parseRecords(withoutMark(decodeText(await readFile(file), file)), file, delimiter);
  const [header, ...rest] = records;
  // As pandas names the column that its own index is written to.
  const columns = (header?.record ?? []).map((name, i) => name ?? `Unnamed: ${i}`);
  const faults = makeRowFaults();
  columns.forEach((name, i) => {
    if (columns.indexOf(name) === i) return;
    faults.add({ field: "line 1", given: `the column ${JSON.stringify(name)} twice`, allowed: "each once" });
  });
  const rows = rest.map(({ record, where }): SourceRow => {
    if (record.length !== columns.length)
      faults.add({
        field: where,
        given: `${record.length} cells`,
        allowed: `${columns.length}, as in line 1`,
      });
    return {
      where,
      cells: Object.fromEntries(columns.map((name, i) => [name, record[i] ?? null] as [string, Cell])),
    };
  });
  faults.refuse();
  return { columns, rows, isText: true };
}

interface CsvRecord {
  record: (string | null)[];
  where: string;
}

function parseRecords(text: string, file: string, delimiter: string): CsvRecord[] {
  try {
    const parsed = parse(text, {
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
    }) as unknown as { record: (string | null)[]; info: Info }[];
    // The parser counts a CRLF within quotes as two lines, and names the last line of a record.
    let counted = 0;
    return parsed.map(({ record, info: { lines } }) => {
      const line = lines - counted - count(record, /[\r\n]/g);
      counted += count(record, /\r\n/g);
      return { record, where: `line ${line}` };
    });
  } catch (error) {
    const { message, code } = error as CsvError;
    throw new FormatError(
      "format_invalid",
      `${file} is no CSV: ${message}`,
      { file, code },
      { cause: error },
    );
  }
}

function count(record: readonly (string | null)[], pattern: RegExp): number {
  return record.reduce((sum, cell) => sum + (cell?.match(pattern)?.length ?? 0), 0);
}

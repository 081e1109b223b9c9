import { hasDuplicateKeys } from "@residua/lens";
import { parseExact } from "./exact-json.ts";
import { readLines } from "./read-lines.ts";
import { shown } from "../../options/shown.ts";
import { makeRowFaults } from "./row-faults.ts";
import { type Cell, columnsOf, isObject, type SourceRow, type SourceTable } from "./source-table.ts";

/** JSON lines: one object a line; lines of nothing but spaces are passed over. */
export async function readJsonl(file: string): Promise<SourceTable> {
  const rows: SourceRow[] = [];
  const faults = makeRowFaults();
  for await (const { number, text } of readLines(file)) {
    if (text.trim() === "") continue;
    const where = `line ${number}`;
    const cells = parseLine(text);
    if (typeof cells === "string") faults.add({ field: where, given: shown(text), allowed: cells });
    else rows.push({ where, cells });
  }
  faults.refuse();
  return { columns: columnsOf(rows), rows };
}

/** The object of a line, or what the line should be. */
function parseLine(text: string): Record<string, Cell> | string {
  let value: Cell;
  try {
    value = parseExact(text);
  } catch (error) {
    const words = (error as Error).message.slice(0, 120);
    return `a JSON object, such as {"prompt": "…", "labels": {"truth": true}} (${words})`;
  }
  if (!isObject(value)) return 'a JSON object, such as {"prompt": "…", "labels": {"truth": true}}';
  return hasDuplicateKeys(text, value)
    ? "each key once: of a repeated one only the last would be read"
    : value;
}

import type { ChatMessage, RequestIssue } from "@residua/lens";
import { InvalidRequestError } from "@residua/lens";
import { columnValues } from "./column-values.ts";
import { checkExamples, type Example } from "./example.ts";
import type { ExampleValue } from "./example-columns.ts";
import type { LoadSettings } from "./load-options.ts";
import type { MappedColumns } from "./map-columns.ts";
import { parseExact } from "./read/exact-json.ts";
import { ExactNumber } from "./read/exact-number.ts";
import { makeRowFaults, type RowFaults } from "./read/row-faults.ts";
import { type Cell, isList, isObject, type SourceTable } from "./read/source-table.ts";
import { shown } from "../options/shown.ts";

/** Examples of a file's rows. Throws InvalidRequestError whose fields say line and column, at most twenty faults. */
export function makeExamples(
  table: SourceTable,
  columns: MappedColumns,
  { types }: Pick<LoadSettings, "types">,
): Example[] {
  const faults = makeRowFaults();
  const labels = valuesOf("labels", table, columns, types, faults);
  const extra = valuesOf("extra", table, columns, types, faults);
  const examples = table.rows.map(({ where, cells }, i) => {
    const example: Record<string, unknown> = promptOf(table, columns, i, faults);
    for (const part of ["id", "group", "split"] as const) {
      const column = columns[part];
      const cell = column === undefined ? null : cellAt(cells, column);
      if (cell === null) continue;
      if (isList(cell) || isObject(cell))
        faults.add({ field: at(where, column), given: shown(cell), allowed: "a text or a number" });
      else example[part] = String(cell);
    }
    return { ...example, labels: labels[i], extra: extra[i] } as Example;
  });
  faults.refuse();
  checkPlaced(examples, table, columns);
  return examples;
}

function at(where: string, column: string | undefined): string {
  return column === undefined ? where : `${where}, column ${JSON.stringify(column)}`;
}

/** Null where the row lacks it, also of a name that every object inherits, such as `constructor`. */
function cellAt(cells: Readonly<Record<string, Cell>>, column: string): Cell {
  return Object.hasOwn(cells, column) ? (cells[column] ?? null) : null;
}

/** The prompt or the messages of a row. */
function promptOf(
  { rows, isText = false }: SourceTable,
  columns: MappedColumns,
  index: number,
  faults: RowFaults,
): { prompt?: string | number[]; messages?: ChatMessage[] } {
  const { where, cells } = rows[index] ?? { where: "", cells: {} };
  const found: { prompt?: string | number[]; messages?: ChatMessage[] } = {};
  const before = faults.count;
  for (const part of ["prompt", "token_ids", "messages"] as const) {
    const column = columns[part];
    const cell = column === undefined ? null : cellAt(cells, column);
    if (cell === null) continue;
    const value = isText && part !== "prompt" ? parsed(cell) : cell;
    const isMessages = isList(value) && value.length > 0 && value.every(isObject);
    const wanted = part === "messages" ? isMessages : part === "token_ids" ? isList(value) : true;
    if (!wanted || !(typeof value === "string" || isList(value))) {
      const allowed =
        part === "messages"
          ? "a list of messages"
          : part === "token_ids"
            ? "a list of token ids"
            : "a text, token ids or messages";
      faults.add({ field: at(where, column), given: shown(cell), allowed });
    } else if ((found.prompt ?? found.messages) !== undefined)
      faults.add({ field: at(where, column), given: "a second prompt", allowed: "one prompt a row" });
    else if (isMessages && hasExact(value))
      faults.add({
        field: at(where, column),
        given: "a number that would be sent as another one",
        allowed: "messages with numbers that float64 holds; write it as a text",
      });
    else if (isMessages) found.messages = value as unknown as ChatMessage[];
    else found.prompt = value as string | number[];
  }
  if (found.prompt === undefined && found.messages === undefined && faults.count === before)
    faults.add({
      field: at(where, columns.prompt ?? columns.messages ?? columns.token_ids),
      given: "nothing",
      allowed: "a prompt in every row",
    });
  return found;
}

/** Whether there is a number that JSON, as it is sent, would not have. */
function hasExact(cell: Cell): boolean {
  if (typeof cell === "bigint" || cell instanceof ExactNumber) return true;
  return typeof cell === "object" && cell !== null && Object.values(cell).some(hasExact);
}

/** JSON in a cell of text. */
function parsed(cell: Cell): Cell {
  try {
    return typeof cell === "string" ? parseExact(cell) : cell;
  } catch {
    return cell;
  }
}

/** The labels, or the extra columns, of each row. */
function valuesOf(
  part: "labels" | "extra",
  { rows, isText = false }: SourceTable,
  columns: MappedColumns,
  types: LoadSettings["types"],
  faults: RowFaults,
): Record<string, ExampleValue>[] {
  const objects = part === "labels" ? columns.labelObjects : columns.extraObjects;
  const values = rows.map((): Record<string, ExampleValue> => ({}));
  const put = (name: string, cells: readonly (Cell | undefined)[], where: (i: number) => string): void => {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    columnValues(
      cells.map((cell) => cell ?? null),
      { type, isText },
      (i, allowed) => faults.add({ field: where(i), given: shown(cells[i]), allowed }),
    ).forEach((value, i) => {
      // A label that a row does not name is not one without a value.
      if (cells[i] !== undefined) set(values[i] ?? {}, name, value);
    });
  };
  for (const [name, column] of columns[part])
    put(
      name,
      rows.map(({ cells }) => cellAt(cells, column)),
      (i) => at(rows[i]?.where ?? "", column),
    );
  if (objects === undefined) return values;
  const inside = rows.map(({ where, cells }) => {
    const cell = cellAt(cells, objects) ?? {};
    if (isObject(cell)) return cell;
    faults.add({ field: at(where, objects), given: shown(cell), allowed: "an object of names and values" });
    return {};
  });
  for (const name of new Set(inside.flatMap(Object.keys)))
    put(
      name,
      inside.map((cell) => (Object.hasOwn(cell, name) ? cell[name] : undefined)),
      (i) => `${at(rows[i]?.where ?? "", objects)}, ${name}`,
    );
  return values;
}

/** Also a name such as `__proto__`, which checkExamples refuses. */
function set(values: Record<string, ExampleValue>, name: string, value: ExampleValue): void {
  Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Checks the examples; the places that errors name are the file's. */
function checkPlaced(examples: readonly Example[], { rows }: SourceTable, columns: MappedColumns): void {
  const columnOf = (path: string): string => {
    const [, part = "", name = ""] = /^\.(\w+)(?:\.(.*))?$/s.exec(path) ?? [];
    const named =
      part === "labels" ? columns.labels.get(name) : part === "extra" ? columns.extra.get(name) : undefined;
    const single = (columns as unknown as Record<string, unknown>)[part];
    const column = named ?? (typeof single === "string" ? single : undefined);
    return column === undefined ? path.replace(/^\./, " ") : `, column ${JSON.stringify(column)}`;
  };
  const placed = (text: string): string =>
    text
      .replace(
        /^examples\[(\d+)\](.*)$/s,
        (_, i: string, path: string) => `${rows[Number(i)]?.where ?? ""}${columnOf(path)}`,
      )
      .replace(/^examples\[\*\](.*)$/s, (_, path: string) => `every row${columnOf(path)}`)
      .replace(/examples\[(\d+)\]/g, (_, i: string) => rows[Number(i)]?.where ?? "");
  try {
    checkExamples(examples);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const issues = error.issues.map(({ field, given, allowed }): RequestIssue => ({
      field: placed(field),
      given: placed(given),
      allowed: placed(allowed),
    }));
    throw new InvalidRequestError(issues, "examples");
  }
}

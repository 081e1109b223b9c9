import { InvalidRequestError, type RequestIssue } from "@residua/lens";
import { isReservedColumn } from "./example.ts";
import type { ColumnNames, ExampleMapping, LoadSettings } from "./load-options.ts";
import { isObject, type SourceTable } from "./read/source-table.ts";

/** Columns of the file by what they are in an example; undefined where there is none. */
export interface MappedColumns {
  prompt: string | undefined;
  token_ids: string | undefined;
  messages: string | undefined;
  id: string | undefined;
  group: string | undefined;
  split: string | undefined;
  /** By the example's own name. */
  labels: ReadonlyMap<string, string>;
  extra: ReadonlyMap<string, string>;
  /** Columns of objects whose fields are labels or extra columns. */
  labelObjects: string | undefined;
  extraObjects: string | undefined;
}

const single = ["prompt", "token_ids", "messages", "id", "group", "split"] as const;

/** Which column is which: as asked, else by its name. Throws InvalidRequestError that names what is missing or in doubt. */
export function mapColumns(
  table: SourceTable,
  { columns: asked, types }: Pick<LoadSettings, "columns" | "types">,
): MappedColumns {
  const { columns } = table;
  const issues: RequestIssue[] = [];
  const named = (name: string): string | undefined => (columns.includes(name) ? name : undefined);
  const given = (field: string, name: string): string | undefined => {
    if (!columns.includes(name))
      issues.push({
        field: `columns.${field}`,
        given: JSON.stringify(name),
        allowed: `a column: ${list(columns)}`,
      });
    return named(name);
  };
  const objects = (name: "labels" | "extra"): string | undefined =>
    asked[name] === undefined && table.rows.some(({ cells }) => isObject(cells[name])) ? name : undefined;
  const prompts = ["prompt", "token_ids", "messages"] as const;
  const promptAsked = prompts.some((part) => asked[part] !== undefined);
  const one = Object.fromEntries(
    single.map((part) => {
      const name = asked[part];
      if (name !== undefined) return [part, given(part, name)];
      if (prompts.some((prompt) => prompt === part) && promptAsked) return [part, undefined];
      return [part, named(part) ?? (part === "prompt" ? named("text") : undefined)];
    }),
  ) as Record<(typeof single)[number], string | undefined>;
  if (issues.length === 0 && prompts.every((part) => one[part] === undefined)) {
    issues.push({
      field: "columns.prompt",
      given: "nothing, and no column is named prompt, text, token_ids or messages",
      allowed: `a column: ${list(columns)}`,
    });
  }
  const labelObjects = objects("labels");
  const extraObjects = objects("extra");
  const labels =
    asked.labels ?? table.labels ?? (labelObjects === undefined && named("label") ? ["label"] : []);
  const labelMap = namesMap("labels", labels, given);
  const taken = new Set([...Object.values(one), ...labelMap.values(), labelObjects, extraObjects]);
  const rest = columns.filter((name) => !taken.has(name));
  const extraMap = namesMap("extra", asked.extra ?? rest, given);
  const fields = { labels: labelMap, extra: extraMap };
  for (const [part, map] of Object.entries(fields))
    for (const name of map.keys())
      if (isReservedColumn(name))
        issues.push({
          field: `columns.${part}`,
          given: `the column ${JSON.stringify(name)}, which every dataset has of its own`,
          allowed: `another name, { ${name}_given: ${JSON.stringify(map.get(name))} }, or a list without it`,
        });
  if (labelObjects === undefined && extraObjects === undefined)
    for (const name of Object.keys(types))
      if (!labelMap.has(name) && !extraMap.has(name))
        issues.push({
          field: `types.${name}`,
          given: "no such label or extra column",
          allowed: list([...labelMap.keys(), ...extraMap.keys()]),
        });
  if (issues.length > 0) throw new InvalidRequestError(issues, "loadExamples options");
  return { ...one, labels: labelMap, extra: extraMap, labelObjects, extraObjects };
}

function namesMap(
  part: keyof Pick<ExampleMapping, "labels" | "extra">,
  names: ColumnNames,
  given: (field: string, name: string) => string | undefined,
): Map<string, string> {
  const pairs = Array.isArray(names)
    ? (names as readonly string[]).map((name) => [name, name] as const)
    : Object.entries(names as Readonly<Record<string, string>>);
  return new Map(pairs.filter(([, column]) => given(part, column) !== undefined));
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 30).map((name) => JSON.stringify(name));
  return shown.join(", ") + (names.length > shown.length ? `, and ${names.length - shown.length} more` : "");
}

import { InvalidRequestError } from "@residua/lens";
import { extname } from "node:path";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";

const exampleFormats = ["jsonl", "csv", "parquet", "arrow", "inspect"] as const;
export type ExampleFormat = (typeof exampleFormats)[number];

/** By the example's own names those of the file's columns, or a list where they are the same. */
export type ColumnNames = readonly string[] | Readonly<Record<string, string>>;

/** Which column of the file is which part of an example. */
export interface ExampleMapping {
  /** Texts; token ids or messages where the cells are lists of these. Default: `prompt`, else `text`. */
  prompt?: string;
  /** Lists of token ids. Default: `token_ids`. */
  token_ids?: string;
  /** Lists of `{ role, content }`. Default: `messages`. */
  messages?: string;
  /** Default: `id`, else the row's index. */
  id?: string;
  /** Default: `group`, else each example is a group of its own. */
  group?: string;
  /** Default: `split`. */
  split?: string;
  /** `["truth"]`, or `{ truth: "label" }`. Default: the fields of a column of objects `labels`, or a column `label`. */
  labels?: ColumnNames;
  /** Default: the fields of a column of objects `extra`, and every column that is nothing else. `[]` leaves all out. */
  extra?: ColumnNames;
}

export interface LoadExamplesOptions {
  /** Default: by the name's ending. `arrow` is a file or a stream; `inspect` a log, `.eval` or JSON. */
  format?: ExampleFormat;
  columns?: ExampleMapping;
  /** Of a label or extra column, by the example's own name. Default: as its cells are. */
  types?: Readonly<Record<string, "bool" | "float64" | "utf8">>;
  /** Of CSV. Default: a comma, a tab where the name ends in .tsv. */
  delimiter?: string;
  /** Of an Inspect log: the whole transcript with the model's answers (default), or what the sample began with. */
  take?: "messages" | "input";
}

const name = z.string().min(1);
const names = z.union([z.array(name), z.record(name, name)], 'a list of columns, or { name: "column" }');
const optionsSchema = z.strictObject({
  format: z.enum(exampleFormats).optional(),
  columns: z
    .strictObject({
      prompt: name.optional(),
      token_ids: name.optional(),
      messages: name.optional(),
      id: name.optional(),
      group: name.optional(),
      split: name.optional(),
      labels: names.optional(),
      extra: names.optional(),
    })
    .default({}),
  types: z.record(name, z.enum(["bool", "float64", "utf8"])).default({}),
  delimiter: z.string().min(1).optional(),
  take: z.enum(["messages", "input"]).default("messages"),
});

export type LoadSettings = z.infer<typeof optionsSchema> & { format: ExampleFormat };

const byExtension: Readonly<Record<string, ExampleFormat>> = {
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".csv": "csv",
  ".tsv": "csv",
  ".parquet": "parquet",
  ".arrow": "arrow",
  ".arrows": "arrow",
  ".feather": "arrow",
  ".ipc": "arrow",
  ".eval": "inspect",
  ".json": "inspect",
};

/** The options with their defaults. Throws InvalidRequestError. */
export function checkLoadOptions(file: string, options: LoadExamplesOptions): LoadSettings {
  const settings = checkOptions(optionsSchema, options, "loadExamples options");
  const ending = extname(file).toLowerCase();
  const format = settings.format ?? byExtension[ending];
  if (format !== undefined) return { ...settings, format };
  throw new InvalidRequestError(
    [
      {
        field: "format",
        given: `nothing, and the name ends in ${JSON.stringify(ending)}`,
        allowed: `${exampleFormats.join(", ")}; by themselves: ${Object.keys(byExtension).join(", ")}`,
      },
    ],
    "loadExamples options",
  );
}

import { createHash } from "node:crypto";
import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowSource } from "../row-source.ts";
import { eachExampleRow } from "../views/example-runs.ts";
import type { TokenCell } from "./token-evidence.ts";

/** What the checks need to know of one example. */
export interface ExampleFacts {
  /** Number of its group. */
  group: number;
  split: string | null;
  /** By label, as in its first row. */
  labels: ReadonlyMap<string, ColumnValue>;
  /** Tokens of the prompt, else of all its tokens; or characters of its text: see `lengthOf`. */
  length: number | null;
  /** Id of the prompt's last token. */
  lastToken: number | null;
  /** Tells texts apart (else prompts of token ids); null where neither is known. */
  textKey: string | null;
}

export interface RowFacts {
  examples: ExampleFacts[];
  groups: number;
  /** Every row's group is its own example. */
  isExample: boolean;
  /** What `length` counts: tokens, unless more examples have their texts than their tokens. */
  lengthOf: "tokens" | "characters";
  /** Rows by token, group and label value: see `TokenCells`. Empty where rows have no token ids. */
  rowTokens: ReadonlyMap<string, TokenCells>;
  /** Every row's token is its example's last one. */
  rowIsLast: boolean;
}

/** Counts of units (examples, or rows) by token, group and class. */
export class TokenCells {
  readonly cells = new Map<string, TokenCell>();

  add(token: number, group: number, value: ColumnValue): void {
    const key = `${token} ${group}`;
    const cell = this.cells.get(key) ?? { token, group, counts: new Map<ColumnValue, number>() };
    this.cells.set(key, cell);
    cell.counts.set(value, (cell.counts.get(value) ?? 0) + 1);
  }
}

const wanted = ["example", "group", "split", "token_id", "text", "token_ids", "prompt_length"];

/** Reads the columns once and keeps a few values an example. */
export async function exampleFacts(source: RowSource, labels: readonly string[]): Promise<RowFacts> {
  const present = wanted.filter((name) => source.columns.includes(name));
  const columns = [...present, ...labels];
  const examples: ExampleFacts[] = [];
  const characters: (number | null)[] = [];
  const groups = new Map<ColumnValue, number>();
  const rowTokens = new Map(labels.map((name) => [name, new TokenCells()]));
  let isExample = true;
  let rowIsLast = true;
  for await (const { row, start, values } of eachExampleRow(source, columns)) {
    const value = (name: string): ColumnValue => {
      const at = columns.indexOf(name);
      return at < 0 ? null : (values[at] as ColumnValue);
    };
    const groupName = value("group");
    if (groupName !== value("example")) isExample = false;
    const group = groups.get(groupName) ?? groups.size;
    groups.set(groupName, group);
    if (row === start) {
      const ids = value("token_ids") as readonly number[] | null;
      const text = value("text") as string | null;
      const promptLength = value("prompt_length") as number | null;
      const prompt = ids?.slice(0, promptLength ?? ids.length);
      examples.push({
        group,
        split: value("split") as string | null,
        labels: new Map(labels.map((name) => [name, value(name)])),
        length: promptLength ?? ids?.length ?? null,
        lastToken: prompt?.at(-1) ?? null,
        textKey: text !== null ? keyOf(text) : prompt ? keyOf(prompt.join(" ")) : null,
      });
      characters.push(text?.length ?? null);
    }
    const token = value("token_id") as number | null;
    if (token === null) continue;
    if (token !== examples.at(-1)?.lastToken) rowIsLast = false;
    for (const name of labels) {
      const label = value(name);
      if (label !== null) rowTokens.get(name)?.add(token, group, label);
    }
  }
  const lengthOf =
    knownOf(characters) > knownOf(examples.map(({ length }) => length)) ? "characters" : "tokens";
  if (lengthOf === "characters")
    for (const [i, example] of examples.entries()) example.length = characters[i] as number | null;
  return {
    examples,
    groups: groups.size,
    isExample,
    lengthOf,
    rowTokens,
    rowIsLast,
  };
}

function knownOf(values: readonly (number | null)[]): number {
  return values.filter((value) => value !== null).length;
}

/** 96 bits of a hash: texts are not kept. */
function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

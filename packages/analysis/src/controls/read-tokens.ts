import { columnOf } from "../probes/checked-reads.ts";
import { isKnown, type SweepDataset } from "../probes/sweep-rows.ts";
import { indexGroups } from "../statistics/group-folds.ts";
import type { TokenKinds } from "./control-task.ts";

/** What the kept rows' tokens are, as far as the dataset tells. */
export interface RowTokens {
  /** Of each row the ids of the tokens that it has read, itself among them; null where they are not known. */
  read: readonly (readonly number[] | null)[];
  /** Of each row the words of its prompt, for where ids are not known. */
  words: readonly (readonly string[] | null)[];
  /** Tokens of each row's prompt; null where they are not known. */
  promptLengths: readonly (number | null)[];
  /** Tokens that each row has read: its position + 1, else all of the prompt. */
  readLengths: readonly (number | null)[];
}

/** Ids and lengths stand in an example's first row alone: the others take them from there. */
export async function readTokens(dataset: SweepDataset, kept: ArrayLike<number>): Promise<RowTokens> {
  const columnIf = async (name: string) =>
    dataset.columns.includes(name) ? await columnOf(dataset, name) : undefined;
  const [ids, lengths, positions, examples, texts] = await Promise.all(
    ["token_ids", "prompt_length", "position", "example", "text"].map(columnIf),
  );
  const first = new Map<unknown, number>();
  for (let row = 0; row < dataset.rows; row++) {
    const known = (ids?.[row] ?? lengths?.[row] ?? texts?.[row] ?? null) !== null;
    const example = examples ? examples[row] : row;
    if (known && !first.has(example)) first.set(example, row);
  }
  const rows = Array.from(kept);
  const of = <T>(column: ArrayLike<unknown> | undefined, row: number): T | null => {
    const from = first.get(examples ? examples[row] : row);
    return from === undefined ? null : ((column?.[from] ?? null) as T | null);
  };
  const all = rows.map((row) => of<readonly number[]>(ids, row));
  const promptLengths = rows.map((row, i) => of<number>(lengths, row) ?? all[i]?.length ?? null);
  const readLengths = rows.map((row, i) => {
    const position = (positions?.[row] ?? null) as number | null;
    return position === null ? (promptLengths[i] ?? null) : position + 1;
  });
  return {
    read: all.map((own, i) => (own === null ? null : own.slice(0, readLengths[i] ?? own.length))),
    words: rows.map((row) => of<string>(texts, row)?.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu) ?? null),
    promptLengths,
    readLengths,
  };
}

/** The kind of each row's token, for the control task. */
export async function tokenKinds(
  dataset: SweepDataset,
  kept: ArrayLike<number>,
  asked: string | undefined,
): Promise<TokenKinds> {
  const name = asked ?? ["token_id", "token"].find((column) => dataset.columns.includes(column));
  if (name === undefined) return { reason: "the dataset has no column token_id or token" };
  const column = await columnOf(dataset, name);
  const values = Array.from(kept, (row) => (isKnown(column[row]) ? column[row] : null));
  if (values.includes(null)) return { reason: `some rows have no ${name}` };
  const { index, count } = indexGroups(values);
  if (count < 2) return { reason: `all rows are at one kind of token (column ${name})` };
  return { kindOf: index, kinds: count };
}

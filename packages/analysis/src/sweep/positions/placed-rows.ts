import { readTokens } from "../../controls/read-tokens.ts";
import { columnOf } from "../../probes/checked-reads.ts";
import { plainLabel } from "../../probes/label-values.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import { chosenRows } from "../../probes/row-choice.ts";
import { isKnown, sweepRows, type SweepDataset, type SweepRows } from "../../probes/sweep-rows.ts";
import { shown } from "../../options/shown.ts";
import type { CheckedPositionOptions } from "./position-options.ts";

/** Labelled rows by the place at which each stands. Places among `rows.kept` are called entries. */
export interface PlacedRows {
  rows: SweepRows;
  examples: number;
  /** `[entries]`: the token's text, where it is known. */
  tokens: (string | null)[];
  /** Entries of each place, one an example. */
  at: Map<number, number[]>;
  notes: string[];
}

/**
 * Where each row stands: its `position`, or (from the end) how far before its example's last row, by position and not by count, so that a
 * row that is missing in between moves no other. Throws ProbeError `bad_column`, `no_rows`, and as sweeps do.
 */
export async function placedRows(
  dataset: SweepDataset,
  options: CheckedPositionOptions,
): Promise<PlacedRows> {
  for (const name of ["position", "example"]) requireColumn(dataset, name);
  const rows = await sweepRows(dataset, options);
  const examples = await columnOf(dataset, "example");
  const positions = positionNumbers(await columnOf(dataset, "position"));
  const selected = await chosenRows(dataset, options.where);
  const last = new Map<unknown, number>();
  // Of all chosen rows: a last one without a label still is the last.
  for (const row of selected) {
    const position = positions[row]!;
    if (position !== null) last.set(examples[row], Math.max(position, last.get(examples[row]) ?? 0));
  }
  const at = new Map<number, number[]>();
  const seen = new Map<number, Set<unknown>>();
  const placed = new Set<unknown>();
  let unplaced = 0;
  rows.kept.forEach((row, entry) => {
    const position = positions[row]!;
    if (position === null) {
      unplaced += 1;
      return;
    }
    const example = examples[row];
    const place = options.from === "end" ? position - last.get(example)! - 1 : position;
    const own = at.get(place) ?? [];
    const before = seen.get(place) ?? new Set();
    if (before.has(example)) {
      throw new ProbeError(
        "bad_column",
        `Example ${shown(example)} has two rows at position ${position}: it is in the dataset twice, or two examples share an id.`,
        { row, position },
      );
    }
    own.push(entry);
    at.set(place, own);
    seen.set(place, before.add(example));
    placed.add(example);
  });
  if (at.size === 0) {
    throw new ProbeError(
      "no_rows",
      "No row has a position: pooled rows stand at none. Collect rows of single tokens, such as with select: lastK(8).",
    );
  }
  const notes = [...rows.notes];
  if (unplaced > 0) notes.push(`${unplaced} rows without a position (pooled ones) were left out.`);
  if (options.from === "end") notes.push(...(await endNotes(dataset, { selected, examples, last })));
  const texts = dataset.columns.includes("token") ? await columnOf(dataset, "token") : undefined;
  const tokens = Array.from(rows.kept, (row) => (typeof texts?.[row] === "string" ? texts[row] : null));
  return { rows, examples: placed.size, tokens, at, notes };
}

function requireColumn(dataset: SweepDataset, name: string): void {
  if (dataset.columns.includes(name)) return;
  throw new ProbeError(
    "bad_column",
    `The dataset has no column ${name}: a sweep of positions needs the position of each row in its example's tokens.`,
    { column: name },
  );
}

function positionNumbers(given: ArrayLike<unknown>): (number | null)[] {
  return Array.from(given, (value, row) => {
    if (!isKnown(value)) return null;
    const position = plainLabel(value);
    if (typeof position === "number" && Number.isInteger(position) && position >= 0) return position;
    throw new ProbeError(
      "bad_column",
      `Row ${row} has the position ${shown(value)}: a position is a whole number from 0, BOS included (padding counts in none).`,
      { row },
    );
  });
}

/** What −1 is, where that may be another token than one thinks. */
async function endNotes(
  dataset: SweepDataset,
  {
    selected,
    examples,
    last,
  }: { selected: readonly number[]; examples: ArrayLike<unknown>; last: ReadonlyMap<unknown, number> },
): Promise<string[]> {
  const { promptLengths } = await readTokens(dataset, selected);
  const [before, after] = [new Set<unknown>(), new Set<unknown>()];
  selected.forEach((row, i) => {
    const [length, end] = [promptLengths[i], last.get(examples[row])];
    if (length === null || length === undefined || end === undefined) return;
    if (end < length - 1) before.add(examples[row]);
    if (end > length - 1) after.add(examples[row]);
  });
  const notes: string[] = [];
  if (before.size > 0) {
    notes.push(
      `In ${before.size} of ${last.size} examples −1 stands before the prompt's end: it is their last row in the dataset, and the tokens after it were not collected.`,
    );
  }
  if (after.size > 0) {
    notes.push(
      `In ${after.size} of ${last.size} examples −1 is a generated token; where: { role: "prompt" } counts from the prompt's end.`,
    );
  }
  return notes;
}

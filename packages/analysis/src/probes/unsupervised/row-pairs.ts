import { shown } from "../../options/shown.ts";
import { plainLabel } from "../label-values.ts";
import { ProbeError } from "../probe-error.ts";
import { isKnown } from "../sweep-rows.ts";

/** Row numbers of both halves of each pair, in order of the pairs' first rows. */
export interface RowPairs {
  readonly positive: Uint32Array;
  readonly negative: Uint32Array;
}

/**
 * Pairs of rows: `pair` names each row's pair, `half` says whether it is the positive one (true or 1) or the negative (false or 0).
 * Throws ProbeError `bad_pairs` for a pair that lacks a half or has one twice.
 */
export function rowPairs(
  rows: readonly number[],
  pair: ArrayLike<unknown>,
  half: ArrayLike<unknown>,
): RowPairs {
  const pairs = new Map<unknown, { positive?: number; negative?: number }>();
  for (const row of rows) {
    const name = pair[row];
    if (!isKnown(name)) throw new ProbeError("bad_pairs", `Row ${row} has no pair.`, { row });
    const side = sideOf(half[row], row);
    const found = pairs.get(name) ?? {};
    if (found[side] !== undefined) {
      const message = `Rows ${found[side]} and ${row} are both the ${side} half of pair ${shown(name)}: a pair has one row of each.`;
      throw new ProbeError("bad_pairs", message, { row });
    }
    pairs.set(name, { ...found, [side]: row });
  }
  for (const [name, { positive, negative }] of pairs) {
    if (positive !== undefined && negative !== undefined) continue;
    const lacks = positive === undefined ? "positive" : "negative";
    throw new ProbeError("bad_pairs", `Pair ${shown(name)} has no ${lacks} row.`, {
      row: positive ?? negative,
    });
  }
  const all = [...pairs.values()];
  if (all.length < 2)
    throw new ProbeError("no_rows", `CCS needs two pairs of rows at least, and there are ${all.length}.`, {
      pairs: all.length,
    });
  return {
    positive: Uint32Array.from(all, (found) => found.positive!),
    negative: Uint32Array.from(all, (found) => found.negative!),
  };
}

function sideOf(given: unknown, row: number): "positive" | "negative" {
  const value = plainLabel(given);
  if (value === true || value === 1) return "positive";
  if (value === false || value === 0) return "negative";
  const message = `Row ${row} has ${value === undefined ? "nothing" : shown(value)} as its half: true or 1 is the positive row of a pair, false or 0 the negative.`;
  throw new ProbeError("bad_pairs", message, { row });
}

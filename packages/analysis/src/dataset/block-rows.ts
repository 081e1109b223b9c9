import { InvalidRequestError } from "@residua/lens";
import { dtypeBytes } from "../shards/row-dtype.ts";
import type { BlockOptions, RowRequest, RowSource } from "./row-source.ts";

/** What a block holds at most, unless its rows are told. */
const blockBytes = 64 << 20;

/** Throws InvalidRequestError for a number of rows that no block can have. */
export function checkBlockRows({ rows }: BlockOptions): void {
  if (rows === undefined || (Number.isInteger(rows) && rows >= 1)) return;
  const issue = { field: "rows", given: String(rows), allowed: "an integer from 1" };
  throw new InvalidRequestError([issue], "options");
}

/** Rows of a block: as asked for, or as many as fit in 64 MiB; `bare` where no layer is asked for. */
export function blockRows(
  { hiddenSize, dtype }: Pick<RowSource, "hiddenSize" | "dtype">,
  { layers, most }: Pick<RowRequest, "layers" | "most">,
  bare: number,
): number {
  if (most !== undefined || layers.length === 0) return most ?? bare;
  return Math.max(1, Math.floor(blockBytes / (dtypeBytes(dtype) * hiddenSize * layers.length)));
}

/** Rows `from` to `to` − 1 of so many, `most` at a time. */
export function* ranges(rows: number, most: number): Generator<{ from: number; to: number }> {
  for (let from = 0; from < rows; from += most) yield { from, to: Math.min(rows, from + most) };
}

import { z } from "zod";

/** Which captured positions of an example become rows. A capture has prompt + generated − 1 positions. */
export const selectionSchema = z.union([
  z.enum(["last", "first", "all"]),
  z.strictObject({ last: z.int().min(1) }),
]);

/** `"last"`, `"first"`, `"all"`, or the last k positions (all of them where there are fewer). */
export type Selection = z.infer<typeof selectionSchema>;

/** Positions selected of `positions` captured ones, ascending. */
export function selectRows(selection: Selection, positions: number): number[] {
  const from = firstSelected(selection, positions);
  const to = selection === "first" ? 1 : positions;
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function firstSelected(selection: Selection, positions: number): number {
  if (selection === "first" || selection === "all") return 0;
  return Math.max(0, positions - (selection === "last" ? 1 : selection.last));
}

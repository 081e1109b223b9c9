import { everyToken, first, last, lastK, type RowSelection } from "@residua/lens";
import { z } from "zod";

/** Which captured positions of an example become rows. A capture has prompt + generated − 1 positions. */
export const selectionSchema = z.union([
  z.enum(["last", "first", "all"]),
  z.strictObject({ last: z.int().min(1) }),
]);

/** `"last"`, `"first"`, `"all"`, or the last k positions (all of them where there are fewer). */
export type Selection = z.infer<typeof selectionSchema>;

/** The same as lens selects it. */
export function rowSelection(selection: Selection): RowSelection {
  if (typeof selection === "object") return lastK(selection.last);
  return { last, first, all: everyToken }[selection];
}

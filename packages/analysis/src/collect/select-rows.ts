import {
  everyToken,
  first,
  last,
  lastK,
  readSelection,
  type Selection as LensSelection,
} from "@residua/lens";
import { z } from "zod";

/** Which captured positions of an example become rows. A capture has prompt + generated − 1 positions. */
const shortSelection = z.union([z.enum(["last", "first", "all"]), z.strictObject({ last: z.int().min(1) })]);
type ShortSelection = z.infer<typeof shortSelection>;

/** Selections by their short names, or as lens's data: checked for in full when options are read. */
export const selectionSchema = z.union([
  shortSelection,
  z.custom<LensSelection>((value) => typeof (value as { kind?: unknown } | null)?.kind === "string"),
]);

/**
 * `"last"`, `"first"`, `"all"`, the last k positions (all of them where there are fewer), or a selection of lens: `span`, `lastK`,
 * `meanOf`, … A pooled one gives one float32 row an example.
 */
export type Selection = ShortSelection | LensSelection;

/** The same as lens selects it. Throws `invalid_option`. */
export function rowSelection(selection: Selection): LensSelection {
  if (typeof selection === "string") return { last, first, all: everyToken }[selection];
  return "kind" in selection ? readSelection(selection) : lastK(selection.last);
}

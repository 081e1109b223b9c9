import {
  type ChatSpan,
  everyToken,
  first,
  InvalidRequestError,
  last,
  lastK,
  readSelection,
  type Selection as LensSelection,
} from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { chatSelectionSchema, resolveChatSelection, type ChatSelection } from "../examples/chat-selection.ts";

/** Which captured positions of an example become rows. A capture has prompt + generated − 1 positions. */
const shortSelection = z.union([z.enum(["last", "first", "all"]), z.strictObject({ last: z.int().min(1) })]);

/** Selections by their short names, or as data, which `selectionData` checks in full. */
export const selectionSchema = z.union(
  [
    shortSelection,
    z.custom<LensSelection | ChatSelection>(
      (value) => typeof (value as { kind?: unknown } | null)?.kind === "string",
    ),
  ],
  '"last", "first", "all", { last: k } with a whole number from 1, a selection of lens (lastK(k), span({ … }), meanOf(…), …), or of a ' +
    "conversation's tokens (roleTokens(…), lastUserToken, …)",
);

/**
 * `"last"`, `"first"`, `"all"`, the last k positions (all of them where there are fewer), a selection of lens (`span`, `lastK`, `meanOf`,
 * …), or one of a conversation's tokens (`roleTokens`, `lastUserToken`, …). A pooled one gives one float32 row an example.
 */
export type Selection = z.infer<typeof selectionSchema>;

/** A selection as data. Throws `invalid_option`. */
export function selectionData(selection: Selection): LensSelection | ChatSelection {
  if (typeof selection === "string") return { last, first, all: everyToken }[selection];
  if (!("kind" in selection)) return lastK(selection.last);
  if (selection.kind !== "chat") return readSelection(selection);
  return checkOptions(chatSelectionSchema, selection, "collect options", "select");
}

/** The same as lens selects it, of a conversation by its spans. Throws SelectionError where it takes nothing of that one. */
export function rowSelection(
  selection: LensSelection | ChatSelection,
  spans: readonly ChatSpan[] | null,
): LensSelection {
  if (selection.kind !== "chat") return selection;
  if (spans !== null) return resolveChatSelection(selection, spans);
  throw new InvalidRequestError(
    [
      {
        field: "select",
        given: "tokens of a conversation",
        allowed: "last, first, all or a selection of lens for a prompt that has no messages",
      },
    ],
    "collect options",
  );
}

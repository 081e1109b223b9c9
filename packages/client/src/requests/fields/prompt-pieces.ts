import * as z from "zod";

/** A token id that a number can hold exactly. */
export const tokenId = z.int().nonnegative();

/** One prompt as token ids. */
export const tokenIds = z.array(tokenId).min(1);

/** Text or token ids, one prompt or several. A list of token ids is one prompt. */
export const promptSchema = z.union([
  z.string(),
  z.array(z.string()).min(1),
  tokenIds,
  z.array(tokenIds).min(1),
]);

export const promptAllowed =
  "a text, a list of texts, a list of token ids, or a list of such lists; none empty";

/** Texts that end a choice: one, or at most four. */
export const stopSchema = z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]);

export const stopAllowed = "a text or a list of at most 4 texts; none empty";

import * as z from "zod";

/** A token id that a number can hold exactly. */
export const tokenId = z.int().nonnegative();

/** A token id as the key of an object. With zeros before it, two keys could mean one token. */
export const tokenIdKey = z.string().regex(/^(0|[1-9][0-9]*)$/);

const tokenIds = z.array(tokenId).min(1);

/** With the flag u a whole pair is one character, and no surrogate. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * A text that UTF-8 can hold. JSON carries half a surrogate pair as an escape such as \ud800, which a server puts another
 * character for, or fails on: the tokens would not be those of the text.
 */
export const promptText = z.string().superRefine((text, context) => {
  const message = surrogateFault(text);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const lists = [z.array(promptText).min(1), tokenIds, z.array(tokenIds).min(1)] as const;

/** The forms of a prompt. A list of token ids is one prompt. */
export const promptForms = z.union([promptText, ...lists]);

/** vLLM refuses an empty text. */
export const filledPromptForms = z.union([promptText.min(1), ...lists]);

export type Prompt = z.input<typeof promptForms>;

/**
 * Takes the forms of a prompt in a fraction of a union's time, which tries every form on every one of thousands of tokens.
 * It also says which element is at fault.
 */
function quickPrompt({ emptyText }: { emptyText: boolean }): z.ZodType<Prompt, Prompt> {
  return z.unknown().superRefine((value, context) => {
    const path = value === "" && !emptyText ? [] : faultIn(value);
    if (path === undefined) return;
    const [at] = path;
    const text = at === undefined ? value : (value as unknown[])[at];
    const message = typeof text === "string" ? (surrogateFault(text) ?? "") : "";
    context.addIssue({ code: "custom", path, message });
  }) as z.ZodType<unknown> as z.ZodType<Prompt, Prompt>;
}

/** Takes what `promptForms` takes. */
export const promptSchema = quickPrompt({ emptyText: true });

/** Takes what `filledPromptForms` takes. */
export const filledPromptSchema = quickPrompt({ emptyText: false });

export const promptAllowed =
  "a text, a list of texts, a list of token ids, or a list of such lists; no list is empty";

export const filledPromptAllowed = `${promptAllowed}, and no text that stands alone`;

/** Texts that end a choice: one, or at most four. */
export const stopSchema = z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]);

export const stopAllowed = "a text or a list of at most 4 texts; none empty";

/** Where a value is not a prompt; undefined when it is one. */
function faultIn(value: unknown): number[] | undefined {
  if (typeof value === "string") return loneSurrogate.test(value) ? [] : undefined;
  if (!Array.isArray(value) || value.length === 0) return [];
  const list = value as unknown[];
  const [first] = list;
  if (typeof first === "string")
    return placeOf(list, (text) => typeof text === "string" && !loneSurrogate.test(text));
  if (!Array.isArray(first)) return placeOf(list, isTokenId);
  for (const [p, ids] of list.entries()) {
    if (!Array.isArray(ids) || ids.length === 0) return [p];
    const place = placeOf(ids, isTokenId);
    if (place !== undefined) return [p, ...place];
  }
  return undefined;
}

function placeOf(list: readonly unknown[], right: (value: unknown) => boolean): number[] | undefined {
  // A loop by index also sees the holes of a sparse list.
  for (let i = 0; i < list.length; i++) if (!right(list[i])) return [i];
  return undefined;
}

function isTokenId(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** What is wrong with a text that has half a surrogate pair, and where. */
function surrogateFault(text: string): string | undefined {
  const at = text.search(loneSurrogate);
  if (at < 0) return undefined;
  const unit = text.charCodeAt(at).toString(16);
  return `half a surrogate pair (\\u${unit}) at index ${at}, which UTF-8 cannot hold: was an emoji cut in two?`;
}

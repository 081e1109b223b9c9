/** `more`: the prompt and other words; `other`: other words; `folded`: the prompt but for spaces, case, accents and signs. */
export type TextComparison = "same" | "folded" | "unknown" | "more" | "other";

/** What a tokenizer puts around a text. */
const special = /<[^<>\s]{1,40}>|\[(?:BOS|CLS|EOS|SEP|PAD)\]/g;
/** A token that stands for what a vocabulary lacks, or half a character. */
const lost = /\ufffd|<\|?unk(?:nown)?\|?>|\[UNK\]/i;
/** Spaces and line ends as vocabularies spell them. */
const spelt = /[\u0120\u010a\u0109\u2581]/g;

/**
 * Whether tokens read as the prompt. Position 0 is not named by servers, so the end of a prompt may be all that is told. Tokenizers
 * may change spaces, case, accents and signs, so that only letters and digits are compared; and may change other letters than those of
 * ASCII, so that only texts of ASCII are told to be other words. What contains the prompt and more words is more.
 */
export function compareTexts(prompt: string, tokens: readonly string[]): TextComparison {
  const read = tokens.join("");
  if (read === prompt || read === ` ${prompt}`) return "same";
  if (lost.test(read) && !lost.test(prompt)) return "unknown";
  const [asked, ran] = [fold(prompt), fold(read)];
  if (asked === "" || ran === "") return "unknown";
  if (asked === ran) return "folded";
  if (ran.includes(asked)) return "more";
  // The first token may be the rest.
  if (asked.endsWith(ran)) return "unknown";
  return isAscii(asked) && isAscii(ran) ? "other" : "unknown";
}

function fold(text: string): string {
  return text
    .replaceAll(special, "")
    .replaceAll(spelt, " ")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

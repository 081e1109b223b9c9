/**
 * Counts tokens as a server's tokenizer does. Tokenizers of `@huggingface/transformers` and `@huggingface/tokenizers` fit as
 * they are: the option comes in both spellings, and what `encode` gives is read as a list of ids or by `ids`, `input_ids` or
 * `length`. `serverTokenizer` asks a vLLM server.
 */
export interface Tokenizer {
  /** The tokens of one text, with the special tokens that the model adds (BOS) or without. What it throws makes the count unknown. */
  encode(
    text: string,
    options: { addSpecialTokens: boolean; add_special_tokens: boolean },
  ): Encoded | Promise<Encoded>;
  /** Where it is known, token ids from this on are refused. */
  readonly vocabSize?: number | undefined;
  /**
   * Where it can tell: what each of these tokens adds to the text. One that ends within a character adds "", and the token that
   * completes the character all of it.
   */
  texts?(tokens: readonly number[]): readonly string[];
  /** As `@huggingface/tokenizers` has it: ids by token. Read once. */
  get_vocab?(withAddedTokens?: boolean): ReadonlyMap<string, number>;
}

/** Token ids, or an object that holds them or their number. */
export type Encoded =
  | ArrayLike<unknown>
  | { readonly ids: ArrayLike<unknown> }
  | { readonly input_ids: ArrayLike<unknown> | { readonly size: number } }
  | { readonly length: number };

/** How many tokens; undefined for what is none of the forms. */
export function encodedLength(encoded: unknown): number | undefined {
  if (typeof encoded !== "object" || encoded === null) return undefined;
  const { ids, input_ids: inputs } = encoded as Record<string, unknown>;
  const size = lengthOf(encoded) ?? lengthOf(ids) ?? lengthOf(inputs);
  return typeof size === "number" && Number.isInteger(size) && size >= 0 ? size : undefined;
}

const sizes = new WeakMap<Tokenizer, number>();

/** Ids of the tokenizer are below this; undefined where it does not say. */
export function vocabularyOf(tokenizer: Tokenizer | undefined): number | undefined {
  if (tokenizer === undefined) return undefined;
  if (typeof tokenizer.vocabSize === "number") return tokenizer.vocabSize;
  if (typeof tokenizer.get_vocab !== "function") return undefined;
  let size = sizes.get(tokenizer);
  if (size === undefined) {
    size = 0;
    for (const id of tokenizer.get_vocab(true).values()) size = Math.max(size, id + 1);
    sizes.set(tokenizer, size);
  }
  return size;
}

/** Of a list only when it holds token ids: a batch of lists, or pieces of text, is another count. */
function lengthOf(list: unknown): unknown {
  if (typeof list !== "object" || list === null) return undefined;
  const { length, size } = list as Record<string, unknown>;
  if (!Array.isArray(list) && !ArrayBuffer.isView(list)) return length ?? size;
  return Array.from(list as ArrayLike<unknown>).every(isId) ? length : undefined;
}

function isId(value: unknown): boolean {
  return typeof value === "bigint" ? value >= 0n : Number.isInteger(value) && (value as number) >= 0;
}

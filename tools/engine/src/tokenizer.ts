import { Tokenizer as Library } from "@huggingface/tokenizers";
import { ModelFolderError } from "./engine-error.ts";

/** The part of the library used here: its own declarations do not resolve under Node's module rules. */
interface LibraryTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
  decode(
    tokens: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  get_vocab(): Map<string, number>;
}
const LibraryTokenizer = Library as unknown as new (tokenizer: object, config: object) => LibraryTokenizer;

/** Text to token ids and back, as the model's `tokenizer.json` says. */
export interface Tokenizer {
  /** Characters of the longest token: a text of n characters has at least n / this tokens. */
  readonly longestToken: number;
  /** With `addSpecialTokens` (default true) the model's own, such as BOS, are added. */
  encode(text: string, options?: { addSpecialTokens?: boolean }): number[];
  /** `skipSpecialTokens` (default false) leaves special tokens out. Bytes that are no UTF-8 become U+FFFD. */
  decode(tokens: readonly number[], options?: { skipSpecialTokens?: boolean }): string;
  /** The vocabulary's own spelling of each token; "" for an id that it does not have. */
  spell(tokens: readonly number[]): string[];
}

/** Makes a tokenizer from the JSON of tokenizer.json and tokenizer_config.json. Throws ModelFolderError. */
export function createTokenizer(tokenizerJson: unknown, configJson: unknown): Tokenizer {
  let library: LibraryTokenizer;
  let longestToken = 1;
  let vocabSize = 0;
  let spellings: Map<number, string> | null = null;
  try {
    library = new LibraryTokenizer(Object(tokenizerJson) as object, Object(configJson) as object);
    library.encode("a");
    const vocab = library.get_vocab();
    vocabSize = vocab.size;
    for (const token of vocab.keys()) longestToken = Math.max(longestToken, token.length);
  } catch (cause) {
    const message = "tokenizer.json is not one that can be read: it must be a Hugging Face fast tokenizer";
    throw new ModelFolderError("tokenizer_invalid", message, {}, { cause });
  }
  const decode = (tokens: readonly number[], skipSpecialTokens: boolean) =>
    library.decode([...tokens], {
      skip_special_tokens: skipSpecialTokens,
      clean_up_tokenization_spaces: false,
    });
  // Log probabilities show the same single tokens over and over.
  const texts = new Map<number, string>();
  const textOf = (token: number) => {
    const text = texts.get(token) ?? decode([token], false);
    if (token < vocabSize) texts.set(token, text);
    return text;
  };
  return {
    longestToken,
    encode: (text, { addSpecialTokens = true } = {}) =>
      library.encode(text, { add_special_tokens: addSpecialTokens }).ids,
    decode: (tokens, { skipSpecialTokens = false } = {}) => {
      if (tokens.length === 0) return "";
      return tokens.length === 1 && !skipSpecialTokens
        ? textOf(tokens[0]!)
        : decode(tokens, skipSpecialTokens);
    },
    spell: (tokens) => {
      spellings ??= new Map(Array.from(library.get_vocab(), ([token, id]) => [id, token]));
      return tokens.map((token) => spellings!.get(token) ?? "");
    },
  };
}

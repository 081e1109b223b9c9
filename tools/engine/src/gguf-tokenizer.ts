import { ModelFolderError } from "./engine-error.ts";
import type { GgufFile } from "./gguf-file.ts";
import type { GgufValue } from "./gguf-header.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

const byteLevel = (useRegex: boolean) => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});

/** The split of Llama 3 and Qwen2, which differ in the digits that stay together. */
const splitWords = (digits: string) => ({
  type: "Sequence",
  pretokenizers: [
    {
      type: "Split",
      pattern: {
        Regex: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
      },
      behavior: "Isolated",
      invert: false,
    },
    byteLevel(false),
  ],
});

interface TextSplit {
  readonly preTokenizer: object;
  readonly normalizer?: object;
  readonly ignoreMerges?: boolean;
  readonly addBos?: boolean;
}

const llama3: TextSplit = { preTokenizer: splitWords("\\p{N}{1,3}"), ignoreMerges: true, addBos: true };

/** How text is split before merging, by `tokenizer.ggml.pre`; as the tokenizer.json of these families has it. */
const textSplits: Readonly<Record<string, TextSplit>> = {
  "gpt-2": { preTokenizer: byteLevel(true) },
  smollm: {
    preTokenizer: {
      type: "Sequence",
      pretokenizers: [{ type: "Digits", individual_digits: true }, byteLevel(true)],
    },
  },
  qwen2: { preTokenizer: splitWords("\\p{N}"), normalizer: { type: "NFC" } },
  "llama-bpe": llama3,
  llama3,
  "llama-v3": llama3,
};

/** Values of `tokenizer.ggml.token_type`. */
const tokenType = { control: 3, userDefined: 4 };

/**
 * Makes the tokenizer that the metadata of a GGUF file describe, for `vocabSize` rows of embeddings: byte-level BPE
 * (`tokenizer.ggml.model` "gpt2"). Throws ModelFolderError, `tokenizer_invalid`.
 */
export function readGgufTokenizer({ file, metadata }: GgufFile, vocabSize: number): Tokenizer {
  const own = (key: string) => metadata.get(`tokenizer.ggml.${key}`);
  const model = own("model");
  if (model !== "gpt2") {
    refuse(file, `its tokenizer model is ${named(model)}; byte-level BPE ("gpt2") is read`);
  }
  const pre = own("pre");
  const split = typeof pre === "string" && Object.hasOwn(textSplits, pre) ? textSplits[pre] : undefined;
  if (split === undefined) {
    refuse(file, `its tokenizer.ggml.pre is ${named(pre)}; ${Object.keys(textSplits).join(", ")} are read`);
  }
  const tokens = texts(own("tokens"));
  const merges = texts(own("merges"))?.map((merge) => merge.split(" "));
  if (tokens === null || new Set(tokens).size !== tokens.length || tokens.length > vocabSize) {
    refuse(file, `tokenizer.ggml.tokens are not at most ${vocabSize} different texts`);
  }
  if (merges?.every((pair) => pair.length === 2) !== true) {
    refuse(file, "tokenizer.ggml.merges are not pairs of tokens");
  }
  const types = own("token_type");
  const added = tokens.flatMap((content, id) => {
    const type: unknown = Array.isArray(types) ? types[id] : undefined;
    if (type !== tokenType.control && type !== tokenType.userDefined) return [];
    const special = type === tokenType.control;
    return [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special }];
  });
  const tokenNamed = (key: string) => tokens[Number(own(`${key}_token_id`))];
  const bos = (own("add_bos_token") ?? split.addBos) === true ? tokenNamed("bos") : undefined;
  const eos = own("add_eos_token") === true ? tokenNamed("eos") : undefined;
  return createTokenizer(
    {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: added,
      normalizer: split.normalizer ?? null,
      pre_tokenizer: split.preTokenizer,
      post_processor: around(bos, eos, tokens),
      decoder: byteLevel(true),
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: split.ignoreMerges ?? false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges,
      },
    },
    { bos_token: tokenNamed("bos"), eos_token: tokenNamed("eos"), clean_up_tokenization_spaces: false },
  );
}

/** The post-processor that puts the tokens given around a text. */
function around(bos: string | undefined, eos: string | undefined, tokens: readonly string[]): object | null {
  const ends = [bos, eos].filter((token) => token !== undefined);
  if (ends.length === 0) return null;
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const sequence = (id: string) => [
    ...(bos === undefined ? [] : [special(bos)]),
    { Sequence: { id, type_id: 0 } },
    ...(eos === undefined ? [] : [special(eos)]),
  ];
  return {
    type: "TemplateProcessing",
    single: sequence("A"),
    pair: [...sequence("A"), ...sequence("B")],
    special_tokens: Object.fromEntries(
      ends.map((id) => [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }]),
    ),
  };
}

function texts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((text) => typeof text === "string") ? value : null;
}

function named(value: GgufValue | undefined): string {
  return value === undefined ? "missing" : JSON.stringify(value);
}

function refuse(file: string, problem: string): never {
  throw new ModelFolderError("tokenizer_invalid", `${file}: ${problem}`, { file });
}

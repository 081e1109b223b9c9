/** Completion-shaped log probabilities: lists of equal length, one entry for each token. */
export interface ListedLogprobs {
  tokens: string[];
  /** Entry 0 is null with `echo`: nothing predicts the first token. */
  token_logprobs: (number | null)[];
  /** By the token's name; tokens of one name fall together. */
  top_logprobs?: (Record<string, number> | null)[] | null;
  /** As the server counts: in code points of the tokens' names. `readLogprobs` counts in the text. */
  text_offset?: number[] | null;
  content?: undefined;
  [field: string]: unknown;
}

/** Chat-shaped log probabilities: one entry for each token. */
export interface ContentLogprobs {
  content?: (ContentLogprob | null)[] | null;
  tokens?: undefined;
  token_logprobs?: undefined;
  top_logprobs?: undefined;
  text_offset?: undefined;
  [field: string]: unknown;
}

/** A token of chat-shaped log probabilities. */
export interface ContentLogprob {
  token: string;
  logprob: number;
  /** The token's UTF-8 bytes. */
  bytes?: number[] | null;
  top_logprobs?: { token: string; logprob: number; bytes?: number[] | null }[] | null;
}

/** As the server sent them; `readLogprobs` reads both shapes alike. */
export type Logprobs = ListedLogprobs | ContentLogprobs;

/** By position, then by token id as text. Entry 0 is null: nothing predicts the first token. See `readPromptLogprobs`. */
export type PromptLogprobs = (Record<
  string,
  { logprob: number; rank?: number | null; decoded_token?: string | null }
> | null)[];

/** One continuation of one prompt. */
export interface Choice {
  index: number;
  text: string;
  logprobs?: Logprobs | null;
  /** `stop`, `length`, or another word of the server's; null in a stream until the choice ends. */
  finish_reason?: string | null;
  /** The stop text or stop token that ended it; null for the end of text. */
  stop_reason?: string | number | null;
  prompt_logprobs?: PromptLogprobs | null;
  /** Some servers name the tokens outright: those generated, and those of the prompt. */
  token_ids?: number[] | null;
  prompt_token_ids?: number[] | null;
  [field: string]: unknown;
}

/** Tokens of all prompts (each counted once) and of all choices. */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: Record<string, unknown> | null;
  completion_tokens_details?: Record<string, unknown> | null;
  [field: string]: unknown;
}

/** The answer as it came: unknown fields pass through. */
export interface CompletionBody {
  id: string;
  object?: string | null;
  /** Seconds since 1970. */
  created?: number | null;
  /** The checkpoint's name, which need not be the id that was sent. */
  model: string;
  choices: Choice[];
  usage?: Usage | null;
  /** Changes when the server does; not every server has one. */
  system_fingerprint?: string | null;
  /** Tensors by name, as the wire has them; `@residua/lens` decodes them. */
  activations?: Record<string, unknown> | null;
  [field: string]: unknown;
}

/** An answer with its choices in index order, and a reader by prompt. */
export type Completion = CompletionBody & {
  /** The n choices of prompt p: `choices[p * n]` to `choices[p * n + n - 1]`. RangeError when there is no such prompt. */
  choicesOf: (prompt: number) => Choice[];
};

/**
 * Adds `choicesOf` to a copy. It is not enumerable, so that JSON and `util.inspect` show the answer and nothing else.
 * Returns undefined when the indices are not 0 … prompts × n − 1, each once.
 */
export function asCompletion(
  answer: CompletionBody,
  { prompts, n }: { prompts: number; n: number },
): Completion | undefined {
  const choices = [...answer.choices].sort((a, b) => a.index - b.index);
  if (choices.length !== prompts * n || choices.some((choice, i) => choice.index !== i)) return undefined;
  const choicesOf = (prompt: number): Choice[] => {
    if (!Number.isInteger(prompt) || prompt < 0 || prompt >= prompts) {
      throw new RangeError(`prompt ${prompt} asked; the request had prompts 0 to ${prompts - 1}`);
    }
    return choices.slice(prompt * n, prompt * n + n);
  };
  return Object.defineProperty({ ...answer, choices }, "choicesOf", { value: choicesOf }) as Completion;
}

import * as z from "zod";

/** Completion-shaped log probabilities: arrays of equal length, one entry for each token. */
const logprobsSchema = z.looseObject({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
  text_offset: z.array(z.number()).nullish(),
});

/** By token id, as text. Entry 0 is null: nothing predicts the first token. */
const promptLogprobsSchema = z.array(
  z
    .record(
      z.string(),
      z.looseObject({
        logprob: z.number(),
        rank: z.number().nullish(),
        decoded_token: z.string().nullish(),
      }),
    )
    .nullable(),
);

export const choiceSchema = z.looseObject({
  index: z.int().nonnegative(),
  text: z.string(),
  logprobs: logprobsSchema.nullish(),
  finish_reason: z.string().nullish(),
  stop_reason: z.union([z.string(), z.number()]).nullish(),
  prompt_logprobs: promptLogprobsSchema.nullish(),
  /** Some servers name the tokens outright. */
  token_ids: z.array(z.int()).nullish(),
  prompt_token_ids: z.array(z.int()).nullish(),
});

export const usageSchema = z.looseObject({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  total_tokens: z.int().nonnegative(),
});

/** Tensors by name, as the wire has them; `@residua/lens` decodes them. */
const activationsSchema = z.record(z.string(), z.unknown());

export const completionSchema = z.looseObject({
  id: z.string(),
  object: z.string().optional(),
  created: z.number().optional(),
  model: z.string(),
  choices: z.array(choiceSchema),
  usage: usageSchema.nullish(),
  activations: activationsSchema.nullish(),
});

export type Choice = z.output<typeof choiceSchema>;
export type Usage = z.output<typeof usageSchema>;
export type Logprobs = z.output<typeof logprobsSchema>;
export type PromptLogprobs = z.output<typeof promptLogprobsSchema>;

/** The answer as it came (unknown fields pass through), choices in index order, with a reader by prompt. */
export type Completion = z.output<typeof completionSchema> & {
  /** The n choices of prompt p: `choices[p * n]` to `choices[p * n + n - 1]`. RangeError when there is no such prompt. */
  choicesOf: (prompt: number) => Choice[];
};

/**
 * Adds `choicesOf`. It is not enumerable, so that JSON and `util.inspect` show the answer and nothing else.
 * Returns undefined when the indices are not 0 … prompts × n − 1, each once.
 */
export function asCompletion(
  answer: z.output<typeof completionSchema>,
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

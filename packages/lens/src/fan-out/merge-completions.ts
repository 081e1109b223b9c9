import { asCompletion, type Completion, ResiduaError, type UsageSum } from "@residua/client";

/**
 * Single completions in the order p · n + i as the one that a request of them all would have had. Usage is left out where a
 * server told none. Throws `choices_mismatch`.
 */
export function mergeCompletions(
  answered: readonly { completion: Completion; seed: number | undefined }[],
  { prompts, n, usage }: { prompts: number; n: number; usage: UsageSum },
): Completion {
  const { id = "", object, created, model = "", system_fingerprint } = answered[0]?.completion ?? {};
  const choices = answered.flatMap(({ completion, seed }, index) =>
    completion.choices.map((choice) => ({ ...choice, index, ...(seed !== undefined && { seed }) })),
  );
  const { prompt_tokens, completion_tokens, total_tokens, uncounted } = usage;
  const merged = asCompletion(
    {
      id,
      ...(object !== undefined && { object }),
      ...(created !== undefined && { created }),
      model,
      ...(system_fingerprint !== undefined && { system_fingerprint }),
      choices,
      ...(uncounted === 0 && { usage: { prompt_tokens, completion_tokens, total_tokens } }),
    },
    { prompts, n },
  );
  if (merged !== undefined) return merged;
  throw new ResiduaError(
    "choices_mismatch",
    `${prompts} prompts × ${n} choices were asked for, and ${choices.length} choices came`,
  );
}

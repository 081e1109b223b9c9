import { ResiduaError } from "../residua-error.ts";
import { asCompletion, type Completion } from "../responses/completion.ts";
import type { SampleOutcome } from "./sample-many-types.ts";
import type { SampleUnit } from "./sample-unit.ts";
import { shareUsage } from "./share-usage.ts";

/** The answer of a unit as the answers of its requests, each with choices from index 0. */
export function unpackCompletion(unit: SampleUnit, completion: Completion): SampleOutcome[] {
  const { items, choices: choicesOf } = unit;
  if (choicesOf === undefined) return items.map(({ index, request }) => ({ index, request, completion }));
  const parts = items.map(({ request }, item) => ({
    request,
    choices: choicesOf(item).map((at, index) => ({ ...completion.choices[at]!, index })),
  }));
  const shares = completion.usage ? shareUsage(completion.usage, parts) : [];
  return items.map(({ index, request }, item) => {
    const share = shares[item];
    const choices = parts[item]?.choices ?? [];
    const answer = { ...completion, choices, ...(share && { usage: share.usage }) };
    const own = asCompletion(answer, { prompts: 1, n: request.n ?? 1 });
    if (own === undefined) throw new ResiduaError("choices_mismatch", "a pack's answer lacks choices");
    const usage = share?.exact === true ? "exact" : "estimated";
    return { index, request, completion: own, packed: { requests: items.length, usage } };
  });
}

import type { ChatMessage } from "@residua/lens";
import type { Example } from "./example.ts";
import type { ExampleValue } from "./example-columns.ts";

/** A text, token ids or a conversation. */
export type ExamplePrompt = string | readonly number[] | readonly ChatMessage[];

/** Two prompts that differ in what is looked for, and as little else as can be. */
export interface ContrastPair {
  positive: ExamplePrompt;
  negative: ExamplePrompt;
  /** Default: the pair's index, as text. */
  id?: string;
  /** Default: the id. Pairs of one group never part either. */
  group?: string;
  /** Of both. */
  labels?: Readonly<Record<string, ExampleValue>>;
  split?: string;
  extra?: Readonly<Record<string, ExampleValue>>;
}

/**
 * Two examples a pair, `ID/positive` and `ID/negative`: the pair is their group, so that it never parts into training and test
 * rows, and the sign their label (`positive`, unless `label` names it). `collect` and checkExamples refuse what is no example.
 */
export function contrastPairs(
  pairs: readonly ContrastPair[],
  { label = "positive" }: { label?: string } = {},
): Example[] {
  return pairs.flatMap((pair, i) => {
    const { positive, negative, id = String(i), group = id, labels, split, extra } = pair;
    return ([true, false] as const).map((sign) => ({
      ...promptFields(sign ? positive : negative),
      id: `${id}/${sign ? "positive" : "negative"}`,
      group,
      labels: { ...labels, [label]: sign },
      ...(split !== undefined && { split }),
      ...(extra && { extra }),
    }));
  });
}

/** The field of an example that such a prompt belongs in. */
export function promptFields(
  prompt: ExamplePrompt,
): { prompt: string | readonly number[] } | { messages: readonly ChatMessage[] } {
  const isChat = typeof prompt !== "string" && typeof prompt[0] === "object";
  return isChat
    ? { messages: prompt as readonly ChatMessage[] }
    : { prompt: prompt as string | readonly number[] };
}

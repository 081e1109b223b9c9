import { type ChatMessage, InvalidRequestError, type RequestIssue } from "@residua/lens";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import type { Example } from "./example.ts";
import type { ExampleValue } from "./example-columns.ts";
import { repeatedIds } from "./repeated-ids.ts";
import { sharedFields } from "./shared-fields.ts";

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

const prompt = z.union([z.string(), z.array(z.unknown()).min(1)], "a text, token ids or messages");
const pairsSchema = z.array(z.strictObject({ positive: prompt, negative: prompt, ...sharedFields }));
const optionsSchema = z.strictObject({ label: z.string().min(1).default("positive") });

/**
 * Two examples a pair, `ID/positive` and `ID/negative`: the pair is their group, so that it never parts into training and test
 * rows, and the sign their label (`positive`, unless `label` names it). Throws InvalidRequestError for a side that is missing, sides that
 * are equal, an id of two pairs, and a label of the sign's name. `collect` refuses what is no example.
 */
export function contrastPairs(pairs: readonly ContrastPair[], options: { label?: string } = {}): Example[] {
  const { label } = checkOptions(optionsSchema, options, "contrastPairs options");
  checkOptions(pairsSchema, pairs, "pairs", "pairs");
  const issues = [
    ...repeatedIds(
      pairs.map(({ id }, i) => id ?? String(i)),
      "pairs",
    ),
    ...pairs.flatMap((pair, i) => pairIssues(pair, label, `pairs[${i}]`)),
  ];
  if (issues.length > 0) throw new InvalidRequestError(issues.slice(0, 20), "pairs");
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

function pairIssues({ positive, negative, labels }: ContrastPair, label: string, at: string): RequestIssue[] {
  const issues: RequestIssue[] = [];
  if (isDeepStrictEqual(positive, negative))
    issues.push({
      field: `${at}.negative`,
      given: "the same as positive",
      allowed: "another prompt: one text cannot have both signs",
    });
  if (labels !== undefined && Object.hasOwn(labels, label))
    issues.push({
      field: `${at}.labels.${label}`,
      given: "a label of the name that the sign takes",
      allowed: "another name, or another `label`",
    });
  return issues;
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

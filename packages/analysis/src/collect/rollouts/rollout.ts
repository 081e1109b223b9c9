import type { ChatSpan, ChatTemplateFacts } from "@residua/lens";
import { z } from "zod";
import type { ExampleValue } from "../../examples/example-columns.ts";
import type { CheckedExample } from "../../examples/example.ts";

const ids = z.array(z.int().min(0)).min(1);

/** What one sampled completion is, as the journal keeps it. */
export const sampleSchema = z.object({
  kind: z.literal("sample"),
  /** Hash of what it was sampled by. */
  key: z.string(),
  /** Of the example, and which of its rollouts: for the reader. */
  example: z.string(),
  rollout: z.int().min(0),
  seed: z.int(),
  promptIds: ids,
  /** The generated tokens, an end of text among them. */
  generatedIds: ids,
  /** As the server gave it: without what a stop text cut off. */
  text: z.string(),
  promptText: z.string().nullable(),
  finishReason: z.string().nullable(),
  /** Of the generated tokens, where they were asked for. */
  logprobs: z.array(z.number()).nullable(),
  /** Of a conversation. */
  spans: z.array(z.custom<ChatSpan>()).nullable(),
  template: z.custom<ChatTemplateFacts>().nullable(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** One sampled completion of an example, as it is graded. */
export interface Rollout {
  /** With its defaults: `id`, `prompt` or `messages`, `group`, `labels`, `split`, `extra`. */
  readonly example: Readonly<CheckedExample>;
  /** Which of the example's rollouts, from 0. */
  readonly index: number;
  /** What was generated: without what a stop text cut off. */
  readonly text: string;
  /** The prompt as text; null where only its ids are known. */
  readonly promptText: string | null;
  readonly promptIds: readonly number[];
  /** The generated tokens, an end of text among them. */
  readonly generatedIds: readonly number[];
  /** `stop`, `length`, or another word of the server's. */
  readonly finishReason: string | null;
  readonly seed: number;
  /** Of each generated token, in nats; null unless asked for. */
  readonly logprobs: readonly number[] | null;
}

/**
 * What a rollout is worth. A boolean, number or text becomes the label `grade`; an object has several labels; null says that it has
 * none. A label that the example has too is its own unless the grade gives it a value.
 */
export type Grade = ExampleValue | Readonly<Record<string, ExampleValue>>;

const value = z.union([z.boolean(), z.number(), z.string(), z.null()]);
export const gradeSchema = z.union([value, z.record(z.string().min(1), value)], {
  error: "a boolean, a finite number, a text, null, or an object of these by label name",
});

/** The labels of a grade. */
export function gradeLabels(grade: Grade): Record<string, ExampleValue> {
  if (grade === null) return {};
  return typeof grade === "object" ? { ...grade } : { grade };
}

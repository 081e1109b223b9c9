import { z } from "zod";

/** A generated text and where it comes from. */
export interface ScoredText {
  /** As it was sent. */
  prompt: string | readonly number[];
  text: string;
  /** Number of the prompt in the list. */
  index: number;
}

/** Reads a number off a generated text, higher meaning more of what the direction should bring. */
export interface SteeringScorer {
  /** Under which results give its score; unique in an experiment. */
  readonly name: string;
  readonly kind: "pattern" | "function" | "judge";
  /** What is scored, in words: results carry it. */
  readonly method: string;
  /** Null where the text has no score. */
  score(text: ScoredText, options: { signal: AbortSignal }): Promise<number | null>;
}

const scorerSchema = z.custom<SteeringScorer>(
  isScorer,
  "a scorer: patternScorer, functionScorer or judgeScorer makes one",
);

export const scorersSchema = z
  .array(scorerSchema)
  .refine(
    (scorers) => new Set(scorers.map(({ name }) => name)).size === scorers.length,
    "scorers of different names",
  );

function isScorer(value: unknown): boolean {
  const { name, kind, method, score } = Object(value) as Record<string, unknown>;
  return (
    typeof name === "string" &&
    typeof method === "string" &&
    (kind === "pattern" || kind === "function" || kind === "judge") &&
    typeof score === "function"
  );
}

import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { ScoredText, SteeringScorer } from "./steering-scorer.ts";

/** What a function may say of a text. */
export type TextScore = number | boolean | null;

type Score = (text: ScoredText) => TextScore | Promise<TextScore>;

const optionsSchema = z.strictObject({
  name: z.string().min(1),
  method: z.string().min(1).optional(),
  score: z.custom<Score>((value) => typeof value === "function", "a function"),
});

/** A scorer of your own; a finite number, true (1), false (0), or null where there is no score. Throws InvalidRequestError. */
export function functionScorer(options: { name: string; method?: string; score: Score }): SteeringScorer {
  const { name, method, score } = checkOptions(optionsSchema, options, "functionScorer");
  return {
    name,
    kind: "function",
    method: method ?? `the function ${name}`,
    async score(text) {
      const value: unknown = await score(text);
      if (value === null) return null;
      if (typeof value === "boolean") return value ? 1 : 0;
      if (typeof value === "number" && Number.isFinite(value)) return value;
      throw new ProbeError(
        "not_finite",
        `The scorer ${name} gave ${shown(value)} for the text of prompt ${text.index}: give a finite number, true, false, or null.`,
        { prompt: text.index },
      );
    },
  };
}
